import type { Text } from '../../contract/brief.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Run } from '../../contract/run.ts';
import { NOTHING_LEFT, type Translate } from '../../engine/workflow.ts';
import type { Asleep, Rest, RunView } from '../../runtime/api.ts';
import { answerCommand } from './gate-screen.ts';
import type { Words } from './messages.ts';
import { clockTime } from './span.ts';

type Row = Pick<Run, 'id' | 'workflow' | 'status' | 'step' | 'halt'>;

/** A step is under way and no living process does it. Without a view nobody knows, and it counts as driven. */
export function isInterrupted({ status }: Pick<Run, 'status'>, view: RunView | undefined): boolean {
  return status === 'working' && view !== undefined && view.driven_by === null;
}

/** Why a call waits by itself and until when, as every screen says it. */
export function asleepText({ agent, why, asleep_until }: Asleep, words: Words, now: number): string {
  if (asleep_until === null) return words.asleep_for_probe(agent);
  return words.asleep[why](agent, clockTime(asleep_until, now));
}

/** The status of a run as every screen names it; an ended one with how it ended. */
export function stateName(run: Row, view: RunView | undefined, words: Words, now: number): string {
  if (run.halt?.kind === 'damaged') return words.damaged;
  if (isInterrupted(run, view)) return words.interrupted;
  if (isResting(run)) return words.resting;
  if (view?.asleep_until) return words.asleep_until(clockTime(view.asleep_until, now));
  const outcome = outcomeOf(run);
  return outcome === null ? words.status[run.status] : words.ended_as(outcome.replaceAll('_', ' '));
}

/** The workflow's own word for how the run ended; null while it has not. */
export function outcomeOf({ step }: Pick<Run, 'step'>): string | null {
  return step.kind === 'end' ? step.outcome.result : null;
}

/** The command that leads on. A run a living process carries on can only be looked at: taking it would be refused. */
export function nextCommand(run: Row, view: RunView | undefined): string {
  switch (run.status) {
    case 'waiting':
      return `baton answer ${run.id}`;
    case 'ended':
      return showCommand(run);
    case 'halted':
      if (run.halt?.kind === 'damaged') return 'baton doctor';
      return isResting(run) ? moveCommand(run.id, takenBy(run)[0] ?? 'conduct') : `baton resume ${run.id}`;
    case 'working':
    case 'sleeping':
      return `baton ${view?.driven_by ? 'status' : 'resume'} ${run.id}`;
  }
}

/** Where all there is of a run can be seen: a ticket has no documents, but a page of its own. */
export function showCommand({ id, workflow }: Pick<Run, 'id' | 'workflow'>): string {
  return workflow === TICKETS ? `baton ticket show ${id}` : `baton show ${id}`;
}

const TICKETS = 'conduct';

/**
 * Halted, and nothing is wrong: a ticket nobody conducts at the moment (new, parked, or carried by its children), or a
 * run whose style a person chose so that it rests here.
 */
export function isResting({ workflow, status, step, halt }: Omit<Row, 'id'>): boolean {
  if (status !== 'halted' || halt !== null || step.kind !== 'wait') return false;
  return step.until.kind === 'command' && (workflow === TICKETS || isByStyle(step.until.why));
}

/** The rest that a style asks for, by the reason it gives. */
export function isByStyle(why: Text | undefined): boolean {
  return typeof why === 'object' && why.msg === 'deliver.halt.style';
}

function takenBy({ step, halt }: Pick<Row, 'step' | 'halt'>): readonly string[] {
  return commandsOf({ halt, wait: step.kind === 'wait' ? step.until : null });
}

/** What moves a run halted where it stood; every workflow knows these. */
export const HALT_TAKES = ['resume', 'restart', 'abandon'] as const;

/** The commands that move a halted run: those its workflow waits for, or what lifts a stop. */
export function commandsOf({ halt, wait }: Pick<Rest, 'halt' | 'wait'>): readonly string[] {
  if (halt !== null || wait?.kind !== 'command') return HALT_TAKES;
  // Conducting a parent only reports it: what leads on is its children.
  const carried = wait.why.msg === 'conduct.rests.umbrella';
  return wait.commands.map((command) => (carried && command === 'conduct' ? 'children' : command));
}

/** One of them as it is typed. */
export function moveCommand(run: string, command: string): string {
  switch (command) {
    case 'reopen':
    case 'restart':
    case 'abandon':
      return `baton resume ${run} --${command}`;
    case 'generate':
    case 'verify':
    case 'evaluate':
      return `baton deliver ${command} --run ${run}`;
    case 'conduct':
      return `baton conduct ${run}`;
    case 'children':
      return `baton conduct --children ${run}`;
    case 'park':
    case 'unpark':
    case 'cancel':
      return `baton ticket ${command} ${run}`;
    default:
      return `baton resume ${run}`;
  }
}

/** How to answer: a form opens on a terminal, so its fields are only named in the example. */
export function waysToAnswer(
  gate: Gate,
  t: Translate,
): { readonly command: string; readonly example: string | null } {
  const whole = answerCommand(gate, t);
  return gate.fields.length > 0
    ? { command: `baton answer ${gate.id}`, example: whole }
    : { command: whole, example: null };
}

/** Where a run rests, for machines; what it left only once it has ended. */
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

/** What a gate says in words, for machines that show it to people. */
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
