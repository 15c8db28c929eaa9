import { AnswerInput } from '../contract/answer.ts';
import type { Gate } from '../contract/gate.ts';
import type { GateId, RunId } from '../contract/ids.ts';
import type { Holder, Run } from '../contract/run.ts';
import { renderBrief } from '../engine/brief.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Input } from '../engine/transition.ts';
import type { At } from '../engine/write-change.ts';
import { answerGate } from './answer-gate.ts';
import type { Api, DriveHandle, Progress, ShownGate } from './api.ts';
import { apply, deliver } from './apply.ts';
import type { Deps } from './deps.ts';
import { doctor } from './doctor.ts';
import { createDrive, type DriveSeed, type LiveDrive, newDrive } from './drive.ts';
import { holderState } from './holder.ts';
import { loadRun, unleased } from './load.ts';
import { artefactsOf, viewRun } from './read.ts';
import { startRun } from './start-run.ts';
import { createTranslator } from './translate.ts';

/** Who listens and which runs this process drives. One per process. */
export interface Service {
  readonly deps: Deps;
  readonly drives: Map<RunId, LiveDrive>;
  readonly tell: (progress: Progress) => void;
  adopt(seed: Pick<DriveSeed, 'id' | 'epoch' | 'attended' | 'applied'>): LiveDrive;
}

/** The service every surface calls. */
export function createApi(deps: Deps): Api {
  const listeners = new Set<(progress: Progress) => void>();
  const drives = new Map<RunId, LiveDrive>();
  const tell = (progress: Progress) => {
    for (const listener of listeners) listener(progress);
  };
  const service: Service = {
    deps,
    drives,
    tell,
    adopt: (seed) => {
      const drive = createDrive(deps, { ...seed, tell, onClose: () => drives.delete(seed.id) });
      drives.set(seed.id, drive);
      return drive;
    },
  };
  return {
    start: (workflow, input, options) => startRun(service, workflow, input, options),
    open: (run, opened_by, attended) => openDrive(service, run, opened_by, attended),
    command: (run, command, by) => giveCommand(service, run, command, by),
    stop: (run, by) => stopRun(service, run, by),
    answer: (gate, input, by, drive) => {
      const parsed = AnswerInput.safeParse(input);
      if (parsed.success) return answerGate(service, gate, parsed.data, { by, wish: drive ?? null });
      const issue = parsed.error.issues[0];
      return Promise.resolve(
        reject('bad_input', { field: issue?.path.join('.') ?? '', problem: issue?.message ?? '' }),
      );
    },
    keepDraft: (gate, digest, draft) => deps.store.keepDraft(gate, digest, draft),
    find: (name) => findRun(deps, name),
    findGate: (name) => findGate(deps, name),
    list: (all) => deps.store.list(all ? {} : { ended: false }),
    gates: (run) => shownGates(deps, run),
    view: (run) => viewRun(deps, run),
    log: async (run, after) => {
      const found = await deps.store.load(run);
      return found ? deps.store.events(run, after, 10_000) : reject('no_such_run', { run });
    },
    records: (run) => deps.store.records(run),
    artefacts: (run) => artefactsOf(deps, run),
    translator: async (workflow, lang) =>
      createTranslator(workflow ? ((await deps.workflow(workflow)) ?? null) : null, lang),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    doctor: (deep) => doctor(deps, deep),
    close: async () => {
      await Promise.all([...drives.values()].map((drive) => drive.close()));
      deps.store.close();
    },
  };
}

async function openDrive(
  service: Service,
  id: RunId,
  opened_by: string,
  attended: boolean,
): Promise<DriveHandle | Rejection> {
  const { deps } = service;
  const mine = service.drives.get(id);
  if (mine) return mine;
  await deliver(deps);
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { run } = loaded.at;
  const state = await holderState(deps, run);
  if (state === 'alive') return heldElsewhere(run, run.holder as Holder);
  const drive = (await deps.store.drive(id)) ?? newDrive(deps, id, opened_by);
  const epoch = await deps.store.takeLease(id, run.epoch, deps.processes.self(), drive);
  if (epoch === null) return openDrive(service, id, opened_by, attended);
  return service.adopt({ id, epoch, attended, applied: null });
}

export function heldElsewhere(run: Run, holder: Holder): Rejection {
  return reject('held_elsewhere', { run: run.id, pid: holder.pid, host: holder.host });
}

/** `resume` lifts a halt; where the workflow itself waits for commands, it is asked. Everything else is its own. */
async function giveCommand(
  service: Service,
  id: RunId,
  command: string,
  by: string,
): Promise<{ ok: true; run: RunId } | Rejection> {
  const { deps } = service;
  const decide = (at: At): Input | Rejection => {
    const { run } = at;
    if (run.status === 'ended') return reject('run_ended', { run: id });
    const waits =
      run.step.kind === 'wait' && run.step.until.kind === 'command' ? run.step.until.commands : [];
    if (command === 'resume' && !waits.includes('resume')) {
      return run.halt ? { kind: 'resume' } : reject('wrong_moment', { run: id, command });
    }
    const signal = { type: 'command', command, by, args: {}, at: deps.clock.now() } as const;
    return { kind: 'signal', signal, inbox: null };
  };
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  service.drives.get(id)?.accept(applied);
  return { ok: true, run: id };
}

async function stopRun(
  service: Service,
  id: RunId,
  by: string,
): Promise<{ ok: true; run: RunId } | Rejection> {
  const { deps } = service;
  const decide = (at: At): Input | Rejection => {
    if (at.run.status === 'ended') return reject('run_ended', { run: id });
    if (at.run.halt) return reject('wrong_moment', { run: id, command: 'stop' });
    const why = { msg: 'engine.halt.stopped', args: { by } };
    return { kind: 'halt', halt: { kind: 'stopped', why, by } };
  };
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  service.drives.get(id)?.accept(applied);
  return { ok: true, run: id };
}

async function findRun(deps: Deps, name: string): Promise<RunId | Rejection> {
  const prefix = name.split('.')[0] ?? name;
  const found = await deps.store.findRuns(prefix);
  if (found.includes(prefix)) return prefix;
  const [only] = found;
  if (found.length === 1 && only) return only;
  return found.length === 0
    ? reject('no_such_run', { run: name })
    : reject('ambiguous', { name, found: found.join(', ') });
}

async function findGate(deps: Deps, name: string): Promise<Gate | Rejection> {
  const run = await findRun(deps, name);
  if (isRejection(run)) return run;
  if (name.includes('.')) {
    const id = `${run}.${name.split('.')[1]}` as GateId;
    return (await deps.store.gate(id)) ?? reject('no_such_gate', { gate: id });
  }
  const open = await deps.store.openGates(run);
  const [only] = open;
  if (open.length === 1 && only) return only;
  const found = open.map((gate) => gate.id).join(', ');
  return open.length === 0 ? reject('no_such_gate', { gate: name }) : reject('ambiguous', { name, found });
}

async function shownGates(deps: Deps, run?: RunId): Promise<ShownGate[]> {
  const gates = await deps.store.openGates(run);
  return Promise.all(
    gates.map(async (gate): Promise<ShownGate> => {
      const row = await deps.store.load(gate.run);
      const def = row ? await deps.workflow(row.workflow) : undefined;
      const lang = row?.lang ?? 'en';
      const text = renderBrief(gate.brief, createTranslator(def ?? null, lang));
      return { gate, draft: await deps.store.draft(gate.id), title: row?.title ?? '', lang, text };
    }),
  );
}
