import { cleanValue } from '../../engine/clean-text.ts';
import type { Caller, Subject } from '../../engine/operation.ts';
import type { OperationHost, TicketOperations, WorkflowOperations } from '../../engine/operation-host.ts';
import { inputProblem } from '../../engine/refuse-input.ts';
import { isRejection, reject } from '../../engine/rejection.ts';
import type { Deps } from '../deps.ts';
import { permit } from './permit.ts';

interface Request {
  readonly operation: string;
  readonly input: unknown;
  readonly caller: Caller;
}

interface Parts {
  readonly deps: Deps;
  readonly operations: WorkflowOperations;
  /** The service for another caller. */
  readonly hostFor: (caller: Caller) => OperationHost;
}

/** Checks name, input and caller, in this order, then runs the operation. A refusal has written nothing. */
export async function operate(
  { deps, operations, hostFor }: Parts,
  { operation: name, input, caller }: Request,
): Promise<unknown> {
  const { table, tickets } = operations;
  const operation = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!operation) return reject('no_such_command', { command: name, allowed: Object.keys(table).join(', ') });
  const clean = cleanValue(input ?? {});
  const parsed = operation.input.safeParse(clean);
  // Problems name the fields as they were sent, because an operation has no command line options.
  if (!parsed.success) return { rejection: 'bad_input', message: inputProblem(parsed.error, clean) };
  const needs = operation.needs(parsed.data as never);
  const host = hostFor(caller);
  const subject = needs === 'nothing' ? {} : await subjectOf(host, tickets(host), parsed.data);
  const allowed = await permit(deps, caller, { needs, subject, command: `call ${name}` });
  if (isRejection(allowed)) return allowed;
  // The proof is asked for once. The operations that this one consists of get its result.
  const proof = allowed.person ?? reject('not_a_person');
  const proven = hostFor({ ...caller, person: async () => proof });
  return operation.run(proven, parsed.data as never, caller.surface);
}

/** The ticket that the operation is about, and the gate that it waits at. */
async function subjectOf(host: OperationHost, tickets: TicketOperations, input: unknown): Promise<Subject> {
  const { task_id } = input as { readonly task_id?: unknown };
  const run = typeof task_id === 'string' ? await tickets.findTicket(task_id) : null;
  if (run === null || isRejection(run)) return {};
  const [open] = await host.gates(run);
  return { run, ...(open && { gate: open.gate.id, digest: open.gate.digest }) };
}
