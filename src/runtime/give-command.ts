import type { RunId } from '../contract/ids.ts';
import type { Signal } from '../contract/outcome.ts';
import type { Run } from '../contract/run.ts';
import { renderBrief } from '../engine/brief.ts';
import type { Input } from '../engine/input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { BaseState, Workflow } from '../engine/workflow.ts';
import type { At } from '../engine/write-change.ts';
import { apply, deliver } from './apply.ts';
import type { Deps } from './deps.ts';
import type { Service } from './live.ts';
import { unleased } from './load.ts';
import { reportChange } from './report.ts';
import { createTranslator } from './translate.ts';
import type { Done } from './views.ts';

/** `resume` lifts a halt, unless the workflow itself waits for a `resume`. Every other command goes to the workflow. */
export async function giveCommand(
  service: Service,
  id: RunId,
  given: Omit<Extract<Signal, { type: 'command' }>, 'type' | 'at'>,
): Promise<Done | Rejection> {
  const { deps } = service;
  const { command, by } = given;
  const found = await deps.store.load(id);
  const def = found && (await deps.workflow(found.workflow));
  const decide = (at: At): Input | Rejection => {
    const { run } = at;
    if (run.status === 'ended') return reject('run_ended', { run: id });
    const waits =
      run.step.kind === 'wait' && run.step.until.kind === 'command' ? run.step.until.commands : [];
    if (command === 'resume' && !waits.includes('resume')) {
      return run.halt ? { kind: 'resume' } : reject('wrong_moment', { run: id, command });
    }
    const args = { ...given.args, ...contentFor(deps, def, run, command) };
    const signal = { type: 'command', ...given, args, at: deps.clock.now() } as const;
    return { kind: 'signal', signal, inbox: null };
  };
  // Earlier messages to the run are applied first, because the command may depend on them: they report a child that was
  // just created.
  await deliver(deps, id);
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  const drive = service.drives.get(id);
  // A command often comes just before its drive. Its effects are reported even without one.
  if (drive) drive.accept(applied);
  else reportChange({ id, tell: service.tell }, applied);
  return { ok: true, run: id };
}

/** The text that the command judges, rendered here, so that the caller cannot choose it. */
function contentFor(
  { texts }: Deps,
  def: Workflow | undefined,
  { state }: Run,
  command: string,
): { readonly content?: string } {
  const doc = def?.judged?.(command, state as unknown as BaseState);
  if (doc === undefined) return {};
  return { content: doc === null ? '' : renderBrief(doc, createTranslator(texts, 'en')) };
}

/** Halts the run at its current step. Running workers are ended, an outside write that has started is not. */
export async function stopRun(service: Service, id: RunId, by: string): Promise<Done | Rejection> {
  const { deps } = service;
  const decide = (at: At): Input | Rejection => {
    if (at.run.status === 'ended') return reject('run_ended', { run: id });
    if (at.run.halt) return reject('wrong_moment', { run: id }, { msg: 'engine.rejection.already_halted' });
    const why = { msg: 'engine.halt.stopped', args: { by } };
    return { kind: 'halt', halt: { kind: 'stopped', why, by } };
  };
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  service.drives.get(id)?.accept(applied);
  return { ok: true, run: id };
}
