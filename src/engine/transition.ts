import type { Answer } from '../contract/answer.ts';
import type { Msg, Text } from '../contract/brief.ts';
import type { Change } from '../contract/change.ts';
import type { Gate } from '../contract/gate.ts';
import type { RunId } from '../contract/ids.ts';
import type { Move, MoveRecord } from '../contract/move.ts';
import type { Policy, Run } from '../contract/run.ts';
import type { Step } from '../contract/step.ts';
import { assertAnswerable } from './answers.ts';
import { canonicalJson } from './canonical-json.ts';
import { cleanText } from './clean-text.ts';
import { shortText } from './cut-text.ts';
import { flagOf, parseMode } from './drive-mode.ts';
import { answering, enterNext, passOver, stateOf } from './enter-next.ts';
import { enterStep } from './enter-step.ts';
import { InvariantError } from './errors.ts';
import type { AtGate, Input, TrustOverride } from './input.ts';
import { answerTrouble, changeAgent, openTrouble } from './move-trouble.ts';
import { isRejection, type Rejection, reject } from './rejection.ts';
import type { BaseState, Workflow } from './workflow.ts';
import { type At, enterContext, type Parts, type TransitionContext, toChange } from './write-change.ts';

/**
 * One input, one change: settle or receive, then next. Pure: it does not write. A Rejection means that the input does
 * not match the current state of the run. Throws InvariantError only for a bug of Baton.
 */
export function transition(def: Workflow, at: At, input: Input, ctx: TransitionContext): Change | Rejection {
  switch (input.kind) {
    case 'outcome':
      return fromOutcome(def, at, input, ctx);
    case 'answer':
      return fromAnswer(def, at, input.answer, ctx);
    case 'signal':
      return fromSignal(def, at, input, ctx);
    case 'resume':
      return toChange(def, at, { type: 'run_resumed', input: null, engine: { halt: null } }, ctx);
    case 'agent':
      return changeAgent(def, at, input, ctx);
    case 'halt': {
      const told = { why: input.halt.why, kind: input.halt.kind };
      return toChange(def, at, { type: 'run_halted', input: told, engine: { halt: input.halt } }, ctx);
    }
    case 'trouble':
      return openTrouble(def, at, input, ctx);
    case 'worker_refused': {
      const text = { msg: 'engine.worker_refused', args: { ...input.tried } };
      const records: MoveRecord[] = [{ kind: 'notice', level: 'warning', text }];
      const moved = noticed(def, at, records, ctx);
      return toChange(def, at, { type: 'worker_refused', input: input.tried, records, ...moved }, ctx);
    }
    case 'drive': {
      const { type, told } = input;
      const records = type === 'dial_override' ? [overrideNotice(told)] : [];
      return toChange(def, at, { type, input: told, records }, ctx);
    }
    case 'migrate': {
      const move = { state: input.state, records: [] };
      const told = { from: at.run.version, to: input.version };
      const parts = { type: 'run_migrated' as const, input: told, engine: { version: input.version } };
      return toChange(def, at, { ...parts, ...reevaluate(def, at, move, ctx) }, ctx);
    }
  }
}

/** The notice of CON-12. It names the trust level, the ignored flag and how to allow it. */
function overrideNotice({ flag, trust }: TrustOverride): MoveRecord {
  const mode = parseMode(flag);
  const named = mode ? flagOf(mode) : flag;
  return {
    kind: 'notice',
    level: 'warning',
    text: { msg: 'engine.dial_override', args: { flag: named, trust } },
  };
}

interface RunSeed {
  readonly id: RunId;
  readonly move: Move<BaseState>;
  readonly policy: Policy;
  readonly parent: RunId | null;
  readonly parent_key: string | null;
  readonly override?: TrustOverride | null;
}

/** The first change of a run: the row, its first event and its first step. */
export function createRun(def: Workflow, seed: RunSeed, ctx: TransitionContext): Change {
  const { id, move, policy, parent, parent_key, override } = seed;
  const base: Run = {
    id,
    workflow: def.name,
    version: def.version,
    parent,
    parent_key,
    title: cleanText(def.title(move.state)),
    lang: move.state.user_lang,
    policy,
    created_at: ctx.now,
    subject: null,
    status: 'working',
    phase: move.state.phase,
    turn: 0,
    step: { kind: 'end', outcome: { result: '' } },
    counters: {},
    trouble: null,
    halt: null,
    state: {},
    revision: 0,
    seq: 0,
    epoch: 0,
    holder: null,
    updated_at: ctx.now,
  };
  const at: At = { run: base, gate: null };
  const onward = enterNext(def, at, move, ctx);
  const parts: Parts = {
    type: 'run_created',
    input: null,
    ...onward,
    records: [...onward.records, ...(override ? [overrideNotice(override)] : [])],
    turn: 1,
    notes: override ? [{ type: 'dial_override', input: override }] : [],
  };
  return { ...toChange(def, at, parts, ctx), guard: null };
}

function fromOutcome(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'outcome' }>,
  ctx: TransitionContext,
): Change {
  const step = at.run.step;
  if (step.kind === 'gate' || step.kind === 'end')
    throw new InvariantError(`${at.run.id}: an outcome at a ${step.kind}`);
  const move = def.settle(withNotices(def, at.run, input.records ?? []), step, input.outcome);
  if (isRejection(move))
    throw new InvariantError(`${at.run.id}: settle refused an outcome: ${move.rejection}`);
  const onward = enterNext(def, at, move, ctx);
  const parts: Parts = {
    type: 'step_settled',
    input: { kind: input.outcome.kind, results: Object.fromEntries(input.results) },
    ...onward,
    records: [...(input.records ?? []), ...onward.records],
  };
  return toChange(def, at, parts, ctx);
}

/** The state after the workflow has processed the engine's notices about its workers. */
function withNotices(def: Workflow, run: Run, records: readonly MoveRecord[]): BaseState {
  const notices = records.flatMap((record) => (record.kind === 'notice' ? [record.text] : []));
  return notices.length === 0 ? stateOf(run) : (def.onNotices?.(stateOf(run), notices) ?? stateOf(run));
}

/** The same between two steps. If a gate shows the notices, it is asked again. */
function noticed(
  def: Workflow,
  at: At,
  records: readonly MoveRecord[],
  ctx: TransitionContext,
): Partial<Parts> {
  const state = withNotices(def, at.run, records);
  if (state === stateOf(at.run)) return {};
  return at.run.trouble ? { state } : reevaluate(def, at, { state, records }, ctx);
}

function fromAnswer(def: Workflow, at: At, answer: Answer, ctx: TransitionContext): Change | Rejection {
  const { run, gate } = at;
  if (!gate) throw new InvariantError(`${run.id}: an answer without a gate`);
  assertAnswerable(answer, gate.class);
  if (gate.options[answer.option]?.effect_on_run === 'hold') return holdGate(def, at, answer, ctx);
  if (run.trouble) return answerTrouble(def, at, answer, ctx);
  const step = def.next(stateOf(run));
  if (step.kind !== 'gate' || step.gate.name !== gate.name)
    return setAside(def, { run, gate }, { answer, step }, ctx);
  const move = def.settle(stateOf(run), step, { kind: 'answered', answer, at: answer.at });
  if (isRejection(move)) return move;
  const parts: Parts = {
    type: 'gate_answered',
    ...answering(answer),
    ...enterNext(def, at, move, ctx),
    engine: { halt: null },
    notes: onBehalf(gate, answer, def.part?.(stateOf(run)) ?? null),
  };
  return toChange(def, at, parts, ctx);
}

/**
 * A newer version of the workflow now asks something else. The answer is stored with its withdrawn gate and settles
 * nothing. The new gate shows it, if the next step is a gate.
 */
function setAside(
  def: Workflow,
  { run, gate }: At & { readonly gate: Gate },
  { answer, step }: { readonly answer: Answer; readonly step: Step },
  ctx: TransitionContext,
): Change {
  const text = earlierAnswer(answer);
  const entered = enterStep(withEarlier(step, [text]), enterContext(def, { run, gate }, run.turn + 1, ctx));
  const parts: Parts = {
    type: 'gate_withdrawn',
    ...answering(answer),
    closes: 'withdrawn',
    records: [{ kind: 'notice', level: 'warning', text }],
    entered,
    engine: { halt: null },
  };
  return toChange(def, { run, gate }, parts, ctx);
}

/** The audit entry of an answer by a drive: the gate and the mode that allowed it (CON-55). */
function onBehalf(
  { id: gate, name }: Gate,
  { by }: Answer,
  part: string | null,
): NonNullable<Parts['notes']> {
  if ('person' in by) return [];
  const where = part === null ? {} : { part };
  const input: AtGate = { gate, name, mode: by.agent, drive: by.drive, ...where };
  return [{ type: 'auto_accepted', input }];
}

/** Records the answer as a decision. The gate stays open under the same digest, and the run halts. */
function holdGate(def: Workflow, at: At, answer: Answer, ctx: TransitionContext): Change {
  const { option } = answer;
  const halt = { kind: 'held' as const, why: { msg: 'engine.halt.held', args: { option } }, by: ctx.by };
  const { input } = answering(answer);
  const records: MoveRecord[] = [{ kind: 'decision', name: 'gate_held', data: input }];
  return toChange(def, at, { type: 'gate_held', input, records, engine: { halt } }, ctx);
}

function fromSignal(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'signal' }>,
  ctx: TransitionContext,
): Change | Rejection {
  const { signal, inbox } = input;
  const over = at.run.status === 'ended' ? reject('run_ended', { run: at.run.id }) : null;
  const move = over ?? def.receive(stateOf(at.run), signal);
  const base = { type: 'signal_received' as const, inbox_done: inbox };
  if (isRejection(move)) {
    // A person's refused command is returned. A refused message leaves the inbox, and the reason is recorded.
    if (signal.type === 'command' && inbox === null) return move;
    return toChange(def, at, { ...base, input: { signal, refused: move.rejection } }, ctx);
  }
  const engine = signal.type === 'command' ? { halt: null } : {};
  return toChange(def, at, { ...base, input: { signal }, engine, ...reevaluate(def, at, move, ctx) }, ctx);
}

/**
 * After a signal. A gate or wait is evaluated again at once. Running work continues and settles against the changed
 * state, unless the move interrupts it. A started outside write is never interrupted.
 */
function reevaluate(def: Workflow, at: At, move: Move<BaseState>, ctx: TransitionContext): Partial<Parts> {
  const { run, gate } = at;
  if (!isReevaluated(run, move)) return { state: move.state, records: move.records };
  const { step, ...kept } = passOver(def, move, ctx.now);
  if (run.step.kind === 'wait' && canonicalJson(step) === canonicalJson(run.step)) return kept;
  const again = isSameGate(run, step) ? gate : null;
  const turn = run.turn + 1;
  const asked = withEarlier(step, earlierOf(again));
  const entered = enterStep(asked, { ...enterContext(def, at, turn, ctx), again });
  if (again && entered.gate?.digest === again.digest) return kept;
  const engine = run.trouble ? { engine: { trouble: null } } : {};
  const closes = gate ? { closes: 'withdrawn' as const } : {};
  return { ...kept, entered, turn, ...engine, ...closes };
}

function isReevaluated(run: Run, move: Move<BaseState>): boolean {
  switch (run.step.kind) {
    case 'gate':
    case 'wait':
      return true;
    case 'work':
    case 'check':
    case 'query':
      return move.interrupt === true;
    default:
      return false;
  }
}

function isSameGate(run: Run, step: Step): boolean {
  return run.step.kind === 'gate' && step.kind === 'gate' && step.gate.name === run.step.name;
}

const EARLIER = 'engine.earlier_answer';
const LONGEST = 500;

/** The note of a gate about an answer that was given to another gate and not applied. */
export function earlierAnswer({ option, gate, by, text, fields }: Answer): Msg {
  const said = [text, ...Object.values(fields)].filter((one) => one !== null && one !== '').join('; ');
  const who = 'person' in by ? by.person : by.agent;
  const typed = said === '' ? 'no' : 'yes';
  return { msg: EARLIER, args: { option, gate, who, typed, text: shortText(cleanText(said), LONGEST) } };
}

/** The earlier answers that a gate already shows. */
function earlierOf(gate: Gate | null): readonly Text[] {
  return gate?.brief.context.filter((text) => typeof text === 'object' && text.msg === EARLIER) ?? [];
}

/** The same step. A gate lists the earlier answers first in its context, which the digest does not cover. */
function withEarlier(step: Step, earlier: readonly Text[]): Step {
  if (step.kind !== 'gate' || earlier.length === 0) return step;
  const { brief } = step.gate;
  return { ...step, gate: { ...step.gate, brief: { ...brief, context: [...earlier, ...brief.context] } } };
}
