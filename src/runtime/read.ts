import type { Effect } from '../contract/change.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { renderBrief } from '../engine/brief.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { type BaseState, NOTHING_LEFT } from '../engine/workflow.ts';
import { notBefore } from './admit-attempt.ts';
import type { Deps } from './deps.ts';
import { holderState } from './holder.ts';
import { isDamage, loadRun } from './load.ts';
import { renderDocument } from './prepare-op.ts';
import { runLines } from './run-lines.ts';
import { createTranslator } from './translate.ts';
import type { Asleep, RunView, ShownArtefact, ShownGate } from './views.ts';

/** Everything that `baton status <run>` shows. Only reads. If the row cannot be read, only this run is refused. */
export async function viewRun(deps: Deps, id: RunId): Promise<RunView | Rejection> {
  try {
    return await viewWhole(deps, id);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return reject('state_corrupt', { run: id, field: 'store', problem: error.failure.detail });
  }
}

async function viewWhole(deps: Deps, id: RunId): Promise<RunView | Rejection> {
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { def, at } = loaded;
  const { run, gate } = at;
  const effects = run.status === 'working' ? await deps.store.effects(id, run.turn) : [];
  const calls = effects.map((effect) => callOf(deps, run, effect));
  const state = await holderState(deps, run);
  return {
    run,
    lines: runLines(deps, def, run, run.state as unknown as BaseState),
    phase_label: def.phases[run.phase]?.label ?? { msg: run.phase },
    gate: gate?.status === 'open' ? gate : null,
    spend: await deps.store.spend(id),
    driven_by:
      run.holder && (state === 'alive' || state === 'mine') ? `${run.holder.host}:${run.holder.pid}` : null,
    driver_stopped:
      run.holder && state === 'alive' && deps.processes.isStopped(run.holder)
        ? { msg: 'engine.rejection.held_stopped', args: { run: id, pid: run.holder.pid } }
        : null,
    left: def.left?.(run.state as unknown as BaseState) ?? NOTHING_LEFT,
    asleep_until: asleepUntil(calls),
    calls,
  };
}

function callOf(deps: Deps, run: Run, effect: Effect): RunView['calls'][number] {
  const { role, kind, attempts, result, started_at } = effect;
  const base = { role: role ?? kind, attempts: attempts.length, since: started_at ?? run.updated_at };
  return { ...base, done: result !== null, asleep: result === null ? asleepNow(deps, run, effect) : null };
}

/** Computed from the stored attempts alone, so that any process can do it. */
function asleepNow({ clock }: Deps, { policy, counters }: Run, { role, attempts }: Effect): Asleep | null {
  const asleep_until = notBefore(attempts, counters.forgiven ?? 0);
  if (asleep_until === null || asleep_until <= clock.now()) return null;
  const agent = policy.by_role?.[role ?? '']?.agent ?? policy.agent;
  return {
    agent,
    why: attempts.at(-1)?.kind === 'limited' ? 'limited' : 'infrastructure',
    asleep_until,
  };
}

/** The first moment at which a call wakes, if all open calls are asleep. Otherwise null. */
function asleepUntil(calls: RunView['calls']): Instant | null {
  const open = calls.filter(({ done }) => !done);
  const times = open.flatMap(({ asleep }) => asleep?.asleep_until ?? []);
  return times.length > 0 && times.length === open.length ? (times.sort()[0] ?? null) : null;
}

/** Documents of a run, the newest of each name, in the run's language. */
export async function artefactsOf(deps: Deps, id: RunId): Promise<ShownArtefact[] | Rejection> {
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { def, at } = loaded;
  const newest = new Map<string, ShownArtefact>();
  for (const { record, at: when } of await deps.store.records(id, 'artefact')) {
    if (record.kind !== 'artefact') continue;
    const { name, hash } = record;
    const document = def.documents[name]
      ? await renderDocument(deps, { document: name, source: { artefact: hash } }, { run: at.run, def })
      : { name, text: await deps.artefacts.get(hash) };
    newest.set(name, { name, file: document.name, hash, text: document.text, at: when });
  }
  for (const [name, { entries }] of Object.entries(def.documents)) {
    const stored = entries ? await deps.store.records(id, 'entry', entries) : [];
    const last = stored.at(-1);
    if (!entries || !last) continue;
    const document = await renderDocument(
      deps,
      { document: name, source: { records: entries } },
      { run: at.run, def },
    );
    newest.set(name, {
      name,
      file: document.name,
      hash: deps.hash(document.text),
      text: document.text,
      at: last.at,
    });
  }
  return [...newest.values()];
}

/**
 * Open gates as a surface shows them, with the brief in the run's language. Without `run`, unreadable runs are left
 * out. The listing still names them.
 */
export async function shownGates(deps: Deps, run?: RunId): Promise<ShownGate[]> {
  if (run !== undefined) return gatesOf(deps, run);
  try {
    return await gatesOf(deps);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const shown: ShownGate[] = [];
  for (const { id } of await deps.store.list({ ended: false })) {
    try {
      shown.push(...(await gatesOf(deps, id)));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return shown;
}

async function gatesOf(deps: Deps, run?: RunId): Promise<ShownGate[]> {
  const gates = await deps.store.openGates(run);
  return Promise.all(
    gates.map(async (gate): Promise<ShownGate> => {
      const row = await deps.store.load(gate.run);
      const def = row ? await deps.workflow(row.workflow) : undefined;
      const lang = row?.lang ?? 'en';
      const about = row && !row.trouble ? def?.about?.(row.state as unknown as BaseState) : null;
      const text = renderBrief(
        gate.brief,
        createTranslator(deps.texts, lang),
        about ? { decisionRef: about } : {},
      );
      return { gate, draft: await deps.store.draft(gate.id), title: row?.title ?? '', lang, text };
    }),
  );
}
