import type { Person } from '../../contract/answer.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Run } from '../../contract/run.ts';
import { isEarly } from '../../engine/judge-person.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import {
  type Context,
  decides,
  isInteractive,
  noteRefusal,
  type OpenContext,
  optionText,
  type RequestedCommand,
  refuseAs,
  translatorOf,
} from './context.ts';
import type { Deciding } from './deps.ts';
import { type PromptIo, promptLine } from './prompt-line.ts';

interface ProofDeps extends OpenContext {
  readonly t: Translate;
  readonly interrupt?: AbortController;
}

type GateName = Pick<Gate, 'id' | 'run' | 'digest'>;

export function promptIo({ deps, screen }: Context): PromptIo {
  return { input: deps.stdin.stream(), output: deps.stdout.stream(), capable: screen.terminal };
}

/** Gets proof of a person for an answer to this gate. A worker's attempt is recorded. */
export async function proveAtGate(
  deps: ProofDeps,
  { id, run, digest }: GateName,
  begun: Promise<Person | Rejection> | null = null,
): Promise<Person | Rejection> {
  const about = (code: string | null) => decidingAbout(deps.api, run, { gate: id, digest, code });
  const early = await begun;
  const typed = optionText(deps, 'code');
  const again = early === null || (isRejection(early) && isEarly(early));
  const first = again ? await deps.deps.person(about(typed)) : early;
  const person = await typeCode(deps, first, about);
  if (isRejection(person)) await noteRefusal(deps.api, person, { command: 'answer', run, target: id });
  return person;
}

/**
 * Starts the proof while the run is looked up, because asking git for the person's name takes as long. It does not ask
 * for a strong proof yet. `proveAtGate` does that.
 */
export function beginProof(open: OpenContext, { id, run, digest }: GateName): Promise<Person | Rejection> {
  const code = optionText(open, 'code');
  const person = open.deps.person(decidingAbout(open.api, run, { gate: id, digest, code, early: true }));
  person.catch(() => undefined);
  return person;
}

/** Gets proof of a person for a command that is not an answer. A worker's attempt is recorded. */
export async function needPerson(open: OpenContext, asked: RequestedCommand): Promise<Person> {
  const { deps, api } = open;
  const { run } = asked;
  const about = (code: string | null) =>
    run === undefined ? decidingHere(api) : decidingAbout(api, run, { gate: null, digest: null, code });
  const first = await deps.person(about(optionText(open, 'code')));
  if (!isRejection(first)) return first;
  const t = await translatorOf(open, run);
  const proven = await typeCode({ ...open, t }, first, about);
  if (!isRejection(proven)) return proven;
  await noteRefusal(api, proven, asked);
  return refuseAs(decides(proven), t);
}

/** If another terminal drives the run, asks for its code until it is right or the person leaves. */
async function typeCode(
  { t, interrupt, ...context }: ProofDeps,
  first: Person | Rejection,
  about: (code: string) => Promise<Deciding | null>,
): Promise<Person | Rejection> {
  const signal = interrupt?.signal ?? new AbortController().signal;
  let person = first;
  while (isRejection(person) && person.rejection === 'code_needed' && isInteractive(context)) {
    context.screen.text(t(person.message));
    const typed = await promptLine(promptIo(context), { prompt: '› ', signal });
    if (typed.kind === 'stopped' || typed.text.trim() === '') return person;
    person = await context.deps.person(about(typed.text));
  }
  return person;
}

/** The facts that a person's proof depends on: the current run, and the age of the work on it. */
async function decidingAbout(
  api: Api,
  id: string,
  more: Pick<Deciding, 'gate' | 'digest' | 'code' | 'early'>,
): Promise<Deciding | null> {
  const view = await api.view(id);
  if (isRejection(view)) return null;
  const { run } = view;
  const { policy, holder } = run;
  return { ...more, run: id, holder, policy, since: await oldest(api, run) };
}

/** The start of the topmost parent, because a child's work began with it. */
async function oldest(api: Api, { parent, created_at }: Run): Promise<Instant> {
  const above = parent === null ? null : await api.view(parent);
  return above === null || isRejection(above) ? created_at : oldest(api, above.run);
}

/** The facts for an operation: its ticket, and the open gate of that ticket. */
export async function decidingTask(api: Api, task: string | undefined): Promise<Deciding | null> {
  const run = task === undefined ? null : await api.findTicket(task);
  if (typeof run !== 'string') return decidingHere(api);
  const [open] = await api.gates(run);
  return decidingAbout(api, run, {
    gate: open?.gate.id ?? null,
    digest: open?.gate.digest ?? null,
    code: null,
  });
}

/**
 * A command without a run is checked against the newest run,
 * because the limit of a person's process is the same for all.
 */
async function decidingHere(api: Api): Promise<Deciding | null> {
  const [newest] = await api.list(false);
  const about = newest ? await decidingAbout(api, newest.id, { gate: null, digest: null, code: null }) : null;
  const { reference } = about?.policy ?? {};
  return about && { ...about, holder: null, since: null, policy: reference ? { reference } : {} };
}
