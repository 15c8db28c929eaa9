import type { RunEvent } from '../../contract/event.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Run } from '../../contract/run.ts';
import type { Wait } from '../../contract/step.ts';
import { NOTHING_LEFT, type Translate } from '../../engine/workflow.ts';
import type { Asleep, RunView, StopPoint } from '../../runtime/views.ts';
import { answerCommand } from './gate-screen.ts';
import { clockTime } from './span.ts';
import type { CliMessageId, Words } from './words.ts';

type Row = Pick<Run, 'id' | 'workflow' | 'status' | 'step' | 'halt'>;

/**
 * True if a step is under way and no living process runs it.
 * Without a view this is unknown, and the run counts as driven.
 */
export function isInterrupted({ status }: Pick<Run, 'status'>, view: RunView | undefined): boolean {
  return status === 'working' && view !== undefined && view.driven_by === null;
}

/** The text every screen shows for a sleeping call: why it waits and until when. */
export function asleepText({ agent, why, asleep_until }: Asleep, words: Words, now: number): string {
  if (asleep_until === null) return words('cli.asleep_for_probe', { agent });
  return words(`cli.asleep.${why}`, { agent, time: clockTime(asleep_until, now) });
}

/** The name every screen shows for the status of a run. For an ended run it includes the outcome. */
export function stateName(run: Row, view: RunView | undefined, words: Words, now: number): string {
  if (run.halt?.kind === 'damaged') return words('cli.damaged');
  if (isInterrupted(run, view)) return words('cli.interrupted');
  if (isIdle(run)) return words('cli.idle');
  if (view?.asleep_until) return words('cli.asleep_until', { time: clockTime(view.asleep_until, now) });
  const outcome = outcomeOf(run);
  return outcome === null
    ? words(`cli.status.${run.status}`)
    : words('cli.ended_as', { result: outcome.replaceAll('_', ' ') });
}

/** The workflow's own word for the outcome of a run. Null until the run has ended. */
export function outcomeOf({ step }: Pick<Run, 'step'>): string | null {
  return step.kind === 'end' ? step.outcome.result : null;
}

/**
 * The command that continues a run. If a living process drives the run,
 * the command only shows it, because taking the run would be refused.
 */
export function nextCommand(run: Row, view: RunView | undefined): string {
  switch (run.status) {
    case 'waiting':
      return `baton answer ${run.id}`;
    case 'ended':
      return showCommand(run);
    case 'halted':
      if (run.halt?.kind === 'damaged') return 'baton doctor';
      return isIdle(run)
        ? moveOf(run.id, commandsOf({ halt: null, wait: waitOf(run.step) })[0] ?? 'conduct').typed
        : `baton resume ${run.id}`;
    case 'working':
    case 'sleeping':
      return `baton ${view?.driven_by ? 'status' : 'resume'} ${run.id}`;
  }
}

/** The command that shows everything about a run. A ticket has no documents, but a screen of its own. */
export function showCommand({ id, workflow }: Pick<Run, 'id' | 'workflow'>): string {
  return workflow === TICKETS ? `baton ticket show ${id}` : `baton show ${id}`;
}

const TICKETS = 'conduct';

/** True for a halted run without a fault. */
export function isIdle({ status, step, halt }: Pick<Row, 'status' | 'step' | 'halt'>): boolean {
  return status === 'halted' && halt === null && idleBy(waitOf(step)) !== undefined;
}

/** Why a run waits for a command although nothing is wrong. Undefined if something is, or for another wait. */
export function idleBy(wait: Wait | null) {
  return wait?.kind === 'command' ? wait.idle : undefined;
}

/** The commands that a step waits for. Empty for any other step. */
export function awaitedBy(step: Run['step']): readonly string[] {
  return step.kind === 'wait' && step.until.kind === 'command' ? step.until.commands : [];
}

/** What a step waits for, if it waits. */
export function waitOf(step: Run['step']): Wait | null {
  return step.kind === 'wait' ? step.until : null;
}

/** The commands that move a halted run. Every workflow accepts them. */
export const HALT_TAKES = ['resume', 'restart', 'abandon'] as const;

/** The commands that move a halted run: those its workflow waits for, or those that lift a stop. */
export function commandsOf({ halt, wait }: Pick<StopPoint, 'halt' | 'wait'>): readonly string[] {
  if (halt !== null || wait?.kind !== 'command') return HALT_TAKES;
  // Conducting a parent only reports it. Its children continue the work.
  return wait.commands.map((command) =>
    wait.idle === 'children' && command === 'conduct' ? 'children' : command,
  );
}

interface Move {
  /** What the command does. */
  readonly label: CliMessageId;
  readonly typed: string;
}

/** One of these commands as a person types it. */
export function moveOf(run: string, command: string): Move {
  switch (command) {
    case 'reopen':
    case 'restart':
    case 'abandon':
      return { label: `cli.${command}`, typed: `baton resume ${run} --${command}` };
    case 'generate':
    case 'verify':
    case 'evaluate':
      return { label: 'cli.next_step', typed: `baton deliver ${command} --run ${run}` };
    case 'conduct':
      return { label: 'cli.continue', typed: `baton conduct ${run}` };
    case 'children':
      return { label: 'cli.continue', typed: `baton conduct --children ${run}` };
    case 'park':
    case 'unpark':
    case 'cancel':
      return { label: `cli.ticket_command.${command}`, typed: `baton ticket ${command} ${run}` };
    default:
      return { label: 'cli.continue', typed: `baton resume ${run}` };
  }
}

/** The command that answers a gate. A form opens on a terminal, so only the example names its fields. */
export function waysToAnswer(
  gate: Gate,
  t: Translate,
): { readonly command: string; readonly example: string | null } {
  const whole = answerCommand(gate, t);
  return gate.fields.length > 0
    ? { command: `baton answer ${gate.id}`, example: whole }
    : { command: whole, example: null };
}

/** The state of a run, for machines. It lists the results only after the run has ended. */
export function standingOf({ run, gate, left }: RunView, t: Translate) {
  const { branch, commit, documents, evidence } = run.status === 'ended' ? left : NOTHING_LEFT;
  return {
    run: run.id,
    workflow: run.workflow,
    status: run.status,
    phase: run.phase,
    outcome: outcomeOf(run),
    gate: gate?.id ?? null,
    asks: gate && { name: gate.name, digest: gate.digest, ...renderedGate(gate, t) },
    branch,
    commit,
    documents,
    evidence: evidence && { ...evidence, command: `baton show ${run.id} evidence` },
  };
}

/** The texts of a gate, for programs that show them to people. */
export function renderedGate(gate: Gate, t: Translate) {
  const options = Object.entries(gate.options).map(([key, { label, description }]) => [
    key,
    { label: t(label), description: t(description) },
  ]);
  return { title: t(gate.title), options: Object.fromEntries(options) as Record<string, RenderedOption> };
}

interface RenderedOption {
  readonly label: string;
  readonly description: string;
}

/** The events of an answer at a gate. */
export const ANSWERED: ReadonlySet<RunEvent['type']> = new Set([
  'gate_answered',
  'gate_held',
  'trouble_answered',
]);
