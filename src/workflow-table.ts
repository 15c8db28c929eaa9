import { nearest } from './engine/nearest.ts';
import type { WorkflowOperations } from './engine/operation-host.ts';
import type { Workflow } from './engine/workflow.ts';

const WORKFLOWS: Readonly<Record<string, () => Promise<Workflow>>> = {
  spec: async () => (await import('./workflows/spec/workflow.ts')).specWorkflow,
  approve: async () => (await import('./workflows/approve/workflow.ts')).approveWorkflow,
  deliver: async () => (await import('./workflows/deliver/workflow.ts')).deliverWorkflow,
  conduct: async () => (await import('./workflows/conduct/workflow.ts')).conductWorkflow,
};

export async function loadWorkflow(name: string): Promise<Workflow | undefined> {
  return Object.hasOwn(WORKFLOWS, name) ? WORKFLOWS[name]?.() : undefined;
}

/** The operations that workflows bring. */
export async function loadOperations(): Promise<WorkflowOperations> {
  const [{ TICKET_OPERATIONS }, { ticketOperations }] = await Promise.all([
    import('./workflows/conduct/operations.ts'),
    import('./workflows/conduct/ticket-operations.ts'),
  ]);
  return { table: TICKET_OPERATIONS, tickets: ticketOperations };
}

/**
 * One line for each role that no workflow has, followed by lists of the known roles. Empty if all roles are known.
 * `dotted`: a role may also be named with its workflow, as `deliver.synthesis`.
 */
export async function strangeRoles(
  named: readonly string[],
  { at, dotted }: { readonly at: (role: string) => string; readonly dotted: boolean },
): Promise<string[]> {
  if (named.length === 0) return [];
  const workflows = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  const known = workflows.flatMap(({ name, roles }) =>
    Object.keys(roles).flatMap((role) => (dotted ? [role, `${name}.${role}`] : [role])),
  );
  const strange = named.filter((role) => !known.includes(role));
  if (strange.length === 0) return [];
  const lists = workflows.map(({ name, roles }) => [name, Object.keys(roles).join(', ')] as const);
  const allowed = lists.flatMap(([name, roles]) => (roles === '' ? [] : [`roles of ${name}: ${roles}`]));
  const lines = strange.map((role) => {
    const close = nearest(role, known);
    return `${at(role)}: no such role${close === null ? '' : `; did you mean "${close}"?`}`;
  });
  return [...lines, ...allowed];
}
