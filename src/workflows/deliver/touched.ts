import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { type Changes, SHOWN } from '../../contract/deliver-report.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { cutText } from '../../engine/cut-text.ts';
import { warn } from '../../engine/messages.ts';
import { say } from './messages.ts';
import { warning } from './moves.ts';

interface Touched {
  readonly git?: readonly string[] | undefined;
  /** The run works in the person's own folder, with the person's own git directory. */
  readonly in_place?: boolean | undefined;
}

/**
 * A worker changed the git directory of its tree. Baton's git never reads the git directory of a run's own tree. In the
 * person's folder it is the person's, and its hooks run at the commit.
 */
export function gitTouched({ git: files = [], in_place = false }: Touched): Msg[] {
  if (files.length === 0) return [];
  const shown = shownOf(files);
  const told = in_place ? 'deliver.notice.your_git_touched' : 'deliver.notice.git_touched';
  return [say(told, { n: files.length, files: shown })];
}

/**
 * A commit does not hold files that git ignores, but a check may depend on them: installed packages, earlier build
 * output.
 */
export function ignoredWritten({ ignored = [], ignored_total }: Ignored): Msg[] {
  const n = ignored_total ?? ignored.length;
  return n === 0 ? [] : [say('deliver.notice.ignored_written', { n, files: shownOf(ignored) })];
}

interface Ignored {
  readonly ignored?: readonly string[] | undefined;
  readonly ignored_total?: number | undefined;
}

/**
 * Without a sandbox, a hook runs with the person's keys. The commit gate names the hook and the changed files it could
 * execute.
 */
export function hooksAtCommit({ hooks }: Pick<Changes, 'hooks'>): Msg[] {
  if (!hooks) return [];
  const names = hooks.names.join(', ');
  const { files, total } = hooks;
  if (total === 0) return [say('deliver.commit.hooks_plain', { hooks: names })];
  const more = total - files.length;
  const shown = `${files.join(', ')}${more > 0 ? `, +${more}` : ''}`;
  return [say('deliver.commit.hooks', { hooks: names, files: shown })];
}

interface Controls {
  readonly controls_changed?: readonly string[] | undefined;
}

/**
 * Hooks and settings of the person's repository that changed while a worker or check of the run executed without a
 * sandbox.
 */
export function controlsChanged({ controls_changed: files = [] }: Controls): Msg[] {
  return files.length === 0 ? [] : [warn('engine.warn.controls_changed', { files: shownOf(files) })];
}

/** Stores what changed during a step and reports it once. Every later gate repeats it. */
export function noteControls(
  state: DeliverState,
  outcome: Outcome,
): { readonly state: DeliverState; readonly records: readonly MoveRecord[] } {
  const ran = outcome.kind === 'worked' || outcome.kind === 'checked';
  const changed = (ran && outcome.controls_changed) || [];
  const before = state.controls_changed ?? [];
  const fresh = changed
    .map((name) => cutText(name, SHOWN.characters))
    .filter((name) => !before.includes(name));
  if (fresh.length === 0) return { state, records: [] };
  const controls_changed = [...before, ...fresh].slice(0, SHOWN.items);
  const told = controlsChanged({ controls_changed: fresh });
  return { state: { ...state, controls_changed }, records: told.map(warning) };
}

/** Adds the warning to every gate. The commit gate already has it among its warnings. */
export function withControls(state: DeliverState, step: Step): Step {
  const told = controlsChanged(state);
  if (step.kind !== 'gate' || step.gate.name === 'commit' || told.length === 0) return step;
  const { gate } = step;
  return {
    ...step,
    gate: { ...gate, brief: { ...gate.brief, banners: [...gate.brief.banners, ...told] } },
  };
}

function shownOf(files: readonly string[]): string {
  return cutText(files.slice(0, SHOWN.failures).join(', '), SHOWN.characters);
}
