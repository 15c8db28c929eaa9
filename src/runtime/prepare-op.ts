import type { Text } from '../contract/brief.ts';
import type { Hash } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import type { Op, SlotRef } from '../contract/step.ts';
import { InvariantError } from '../engine/errors.ts';
import { unsandboxedBecause } from '../engine/unsandboxed.ts';
import type { DocumentFacts } from '../engine/workflow.ts';
import type { SpendTotal } from '../ports/store.ts';
import type { PreparedOp } from '../ports/workspace.ts';
import type { Deps } from './deps.ts';
import type { PerformContext } from './job.ts';
import { entriesOf } from './resolve-slots.ts';
import { createTranslator } from './translate.ts';

interface DocumentRef {
  readonly document: string;
  readonly source: SlotRef;
}

/** The texts of an op. `body` is placed below the message, or is passed alone if there is no message. */
interface Worded {
  readonly documents?: readonly DocumentRef[];
  readonly title?: Text;
  readonly message?: Text;
  readonly body?: Body;
}

type Body = DocumentRef | TextRef | Text;

/** A value that an op receives as text: a whole artefact, or one field of a JSON artefact. */
interface TextRef {
  readonly artefact: Hash;
  readonly field?: string;
}

function isText(value: unknown): value is TextRef {
  return typeof value === 'object' && value !== null && 'artefact' in value;
}

async function readBody(deps: Deps, body: Body, ctx: PerformContext): Promise<string> {
  if (isText(body)) return String(await readText(deps, body));
  if (typeof body === 'object' && 'document' in body) return (await renderDocument(deps, body, ctx)).text;
  return createTranslator(deps.texts, ctx.run.lang)(body);
}

async function readText(deps: Deps, { artefact, field }: TextRef): Promise<unknown> {
  const text = await deps.artefacts.get(artefact);
  return field === undefined ? text : (JSON.parse(text) as Record<string, unknown>)[field];
}

/**
 * Renders an op's documents to files and translates its message into the run's language. The result is the same bytes
 * each time.
 */
export async function prepareOp(
  deps: Deps,
  op: Op,
  effect: string,
  ctx: PerformContext,
): Promise<PreparedOp> {
  const { documents, title, message, body, ...rest } = op.input as Readonly<Record<string, unknown>> & Worded;
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest))
    input[name] = isText(value) ? await readText(deps, value) : value;
  const t = createTranslator(deps.texts, ctx.run.lang);
  if (title !== undefined) input.title = t(title);
  if (message !== undefined) input.message = t(message);
  const below = body === undefined ? null : await readBody(deps, body, ctx);
  if (below !== null && message === undefined) input.body = below;
  else if (below !== null) input.message = `${input.message}\n\n${below}`;
  if (documents) {
    const files: { name: string; text: string }[] = [];
    for (const ref of documents) files.push(await renderDocument(deps, ref, ctx));
    input.files = files;
  }
  return { op: op.op, effect, input };
}

/** Renders one document of a run: the file's name and its text in the run's language. */
export async function renderDocument(
  deps: Deps,
  ref: DocumentRef,
  ctx: Pick<PerformContext, 'run' | 'def'>,
): Promise<{ name: string; text: string }> {
  const definition = ctx.def.documents[ref.document];
  if (!definition) throw new InvariantError(`no document '${ref.document}' in ${ctx.def.name}`);
  const { run } = ctx;
  const source = await readSource(deps, ref.source, run.id);
  const t = createTranslator(deps.texts, run.lang);
  const artefacts: Record<string, string> = {};
  for (const name of definition.reads ?? []) {
    const found = (await deps.store.records(run.id, 'artefact', name)).at(-1)?.record;
    if (found?.kind === 'artefact') artefacts[name] = await deps.artefacts.get(found.hash);
  }
  const digests: Record<string, Hash> = {};
  for (const document of definition.digests ?? []) {
    digests[document] = deps.hash((await renderDocument(deps, { ...ref, document }, ctx)).text);
  }
  const others = Object.entries(run.policy.by_role ?? {}).flatMap(([role, { agent }]) =>
    agent === undefined || agent === run.policy.agent || !Object.hasOwn(ctx.def.roles, role)
      ? []
      : [[role, agent] as const],
  );
  const agents = await agentsOf(deps, run);
  const facts: DocumentFacts = {
    run: run.id,
    title: run.title,
    rehearsal: others.length === 0 && agents.every((agent) => agent === 'rehearsal'),
    agents: [...agents, ...others.map(([role, agent]) => `${role}: ${agent}`)],
    cost: definition.costs ? exactly(await deps.store.spend(run.id)) : null,
    ...containmentOf(run),
    artefacts,
    digests,
  };
  return { name: definition.file, text: definition.render(source, t, facts) };
}

function containmentOf({ policy }: Run): Pick<DocumentFacts, 'containment' | 'unsandboxed'> {
  const unsandboxed = unsandboxedBecause(policy);
  const { containment } = policy;
  return { ...(containment && { containment }), ...(unsandboxed !== null && { unsandboxed }) };
}

/** The agents that worked, in order, because a person may have changed the agent during the run. */
async function agentsOf({ store }: Deps, { id, policy }: Run): Promise<string[]> {
  const changes = await store.records(id, 'decision', 'agent_changed');
  const before = changes.flatMap(({ record }) =>
    record.kind === 'decision' ? [(record.data as { readonly before: string }).before] : [],
  );
  return [...new Set([...before, policy.agent])];
}

/**
 * Fixes the order of fields and rounds off addition errors. A running total and one read from the store must give the
 * same bytes.
 */
function exactly({ money_usd, money_unknown, tokens, seconds, attempts }: SpendTotal): SpendTotal {
  const round = (value: number, digits: number) => Number(value.toFixed(digits));
  return { money_usd: round(money_usd, 6), money_unknown, tokens, seconds: round(seconds, 3), attempts };
}

async function readSource(deps: Deps, ref: SlotRef, run: string): Promise<unknown> {
  if ('records' in ref) return entriesOf(deps, run, ref.records);
  if ('artefact' in ref) return deps.artefacts.get(ref.artefact);
  if ('brief' in ref) return ref.brief;
  return 'json' in ref ? ref.json : ref.text;
}
