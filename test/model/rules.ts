import type { EffectStep, Step, WorkerCall } from '../../src/contract/step.ts';
import { canonicalJson } from '../../src/engine/canonical-json.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { BaseState, RoleDefinition } from '../../src/engine/workflow.ts';
import type { At } from '../../src/engine/write-change.ts';
import { type Happening, stateOf } from './happenings.ts';
import type { Move, Rule, RuleBreak } from './rule-break.ts';
import { stepName } from './step-name.ts';
import type { World } from './world.ts';

const say = (rule: Rule, ...problems: readonly (string | null)[]): RuleBreak[] =>
  problems.flatMap((what) => (what === null ? [] : [{ rule, what }]));

/** What must hold of every state, whatever led to it. */
export function judgeState(
  world: World,
  at: At,
  possible: readonly Happening[],
  detour: (at: At) => boolean,
): RuleBreak[] {
  const state = stateOf(at);
  try {
    const step = world.def.next(state);
    return [
      ...say('next_step', unperformable(world, step), stuck(at, possible)),
      ...say('stable', unstable(world, state, step), stopped(at, detour)),
      ...say('legal', unfit(world, state)),
      ...say('over', step.kind === 'end' || at.run.status !== 'ended' ? null : 'next goes on after the end'),
    ];
  } catch (error) {
    return say('total', `next throws at '${stepName(at.run.step)}': ${String(error)}`);
  }
}

/** A gate with options, workers with their roles and slots, a place in the phase table, commands to wait for. */
function unperformable(world: World, step: Step): string | null {
  const { def } = world;
  if ('during' in step && !def.phases[step.during])
    return `'${stepName(step)}' is of no phase: ${step.during}`;
  switch (step.kind) {
    case 'gate': {
      const known = def.gates[step.gate.name]?.options ?? {};
      const offers = step.gate.offers ?? Object.keys(known);
      if (offers.length === 0) return `the gate '${step.gate.name}' offers nothing`;
      const foreign = offers.find((option) => !known[option]);
      return foreign ? `the gate '${step.gate.name}' has no option '${foreign}'` : null;
    }
    case 'work':
      return (
        step.calls.map((call) => badCall(call, def.roles[call.role])).find((bad) => bad !== null) ?? null
      );
    case 'wait':
      return step.until.kind === 'command' && step.until.commands.length === 0
        ? 'a wait for a command names none'
        : null;
    default:
      return null;
  }
}

function badCall(
  { role, slots }: WorkerCall,
  definition: RoleDefinition<BaseState> | undefined,
): string | null {
  if (!definition) return `there is no role '${role}'`;
  const known = definition.slots.map(({ name }) => name);
  const foreign = Object.keys(slots).find((name) => !known.includes(name));
  return foreign ? `the role '${role}' has no slot '${foreign}'` : null;
}

/** An effect step of which nothing can come: the world does not know it, so nothing behind it was looked at. */
function stuck({ run, gate }: At, possible: readonly Happening[]): string | null {
  const { kind } = run.step;
  const performed = !gate && !run.halt && kind !== 'gate' && kind !== 'wait' && kind !== 'end';
  if (!performed) return null;
  const ends = possible.some(({ input }) => 'kind' in input && input.kind === 'outcome');
  return ends ? null : `nothing can come of '${stepName(run.step)}'`;
}

function unstable({ def }: World, state: BaseState, step: Step): string | null {
  return canonicalJson(def.next(state)) === canonicalJson(step)
    ? null
    : `next answers '${stepName(step)}' once only`;
}

/** Where a workflow waits for `resume` itself, the command is its own. */
function stopped(at: At, detour: (at: At) => boolean): string | null {
  const { step, halt, status } = at.run;
  const own = step.kind === 'wait' && step.until.kind === 'command' && step.until.commands.includes('resume');
  if (own || halt || status === 'ended') return null;
  return detour(at) ? null : `a stop and its resume do not lead back to '${stepName(step)}'`;
}

function unfit({ def }: World, state: BaseState): string | null {
  const parsed = def.state.safeParse(state);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `the state does not fit: ${issue?.path.join('.')} ${issue?.message}`;
  }
  const data = parsed.data as unknown as Readonly<Record<string, unknown>>;
  const same = Object.entries(state).every(([field, value]) => isSameField(value, data[field]));
  return same ? null : 'the schema makes another state of it';
}

/** Moves copy a state by spreading: a value that was the same once is the same wherever it stands. */
const SAME = new WeakSet<object>();

function isSameField(value: unknown, parsed: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === parsed;
  if (SAME.has(value)) return true;
  const same = canonicalJson(value) === canonicalJson(parsed ?? null);
  if (same) SAME.add(value);
  return same;
}

/** What must hold of everything that happens. */
export function judgeMove(world: World, move: Move): RuleBreak[] {
  const { happening, thrown } = move;
  const where = `${happening.name} at '${stepName(move.before.run.step)}'`;
  if (thrown) {
    const illegal = String(thrown).includes('is not in the phase table');
    return say(illegal ? 'legal' : 'total', `${where} throws: ${String(thrown)}`);
  }
  return [
    ...say('next_step', untaken(move, where)),
    ...say('stable', moved(world, move, where)),
    ...say('over', reopened(world, move, where)),
  ];
}

/** An option that is offered and a command that a wait names can be given. */
function untaken({ before, happening, refused }: Move, where: string): string | null {
  if (!refused) return null;
  const { step } = before.run;
  const waits = step.kind === 'wait' && step.until.kind === 'command' ? step.until.commands : [];
  const named = waits.some((command) => happening.name === `command ${command}`);
  const offered = happening.name.startsWith('answer ') || happening.by === 'drive';
  return named || offered ? `${where} is refused: ${refused.rejection}` : null;
}

/**
 * While effects run, a signal that does not interrupt them leaves the step what it is. What its effects are given is
 * stored with them, so other inputs (a text that is gone) take nothing from it. A step without effects does not run, and
 * a started write is never interrupted: a move that asks for that may go on.
 */
function moved({ def }: World, move: Move, where: string): string | null {
  const { before, change, happening } = move;
  const { input } = happening;
  if (!change || !('kind' in input) || input.kind !== 'signal' || change.run.turn !== before.run.turn)
    return null;
  const { step } = before.run;
  if (step.kind === 'gate' || step.kind === 'wait' || step.kind === 'end' || !runs(step)) return null;
  if (change.run.state === before.run.state) return null;
  // A write that goes on although a move before asked for its end: there is nothing left for it to keep.
  if (stepName(def.next(stateOf(before))) !== stepName(step)) return null;
  const received = def.receive(stateOf(before), input.signal);
  if (isRejection(received) || received.interrupt) return null;
  const next = def.next(received.state);
  return stepName(next) === stepName(step) ? null : `${where} leads to '${stepName(next)}' beside it`;
}

function runs(step: EffectStep): boolean {
  if (step.kind === 'work') return step.calls.length > 0;
  return step.kind !== 'check' || step.checks.length > 0;
}

/** What was over for the workflow stays over, also while a write that had been started comes to its end. */
function reopened({ def }: World, { before, after }: Move, where: string): string | null {
  if (!after || after.run.state === before.run.state) return null;
  const was = def.next(stateOf(before));
  if (was.kind !== 'end') return null;
  const now = def.next(stateOf(after));
  return canonicalJson(now) === canonicalJson(was)
    ? null
    : `${where} makes '${stepName(now)}' of '${stepName(was)}'`;
}

/** The tables hold nothing the search never met; what cannot be met is said, with the reason, in the world. */
export function judgeMet({ def, unmet }: World, met: ReadonlySet<string>): RuleBreak[] {
  const rows = [
    ...Object.keys(def.phases).map((name) => `phase ${name}`),
    ...Object.keys(def.roles).map((name) => `role ${name}`),
    ...Object.entries(def.gates).flatMap(([name, { options }]) => [
      `gate ${name}`,
      ...Object.keys(options).map((option) => `option ${name} ${option}`),
    ]),
  ];
  const excused = (row: string) =>
    Object.hasOwn(unmet, row) ||
    Object.hasOwn(unmet, row.split(' ').slice(0, 2).join(' ').replace('option', 'gate'));
  const missing = rows.filter((row) => !met.has(row) && !excused(row));
  const wrong = Object.keys(unmet).filter((row) => met.has(row));
  return [
    ...say('met', ...missing.map((row) => `${row} is never met`)),
    ...say('met', ...wrong.map((row) => `${row} is met, and the world says it cannot be`)),
  ];
}
