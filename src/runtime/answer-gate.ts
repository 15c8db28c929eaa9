import { type Answer, AnswerInput, type Person } from '../contract/answer.ts';
import type { Drive } from '../contract/change.ts';
import type { Gate } from '../contract/gate.ts';
import type { GateId, Hash, RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { refuseAnswer } from '../engine/answers.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import { provenance } from '../engine/provenance.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import { type Applied, apply, deliver } from './apply.ts';
import { newDrive, openDrive, staysAt } from './drive-row.ts';
import { type HolderState, holderState } from './holder.ts';
import type { Service } from './live.ts';
import { type Loaded, loadRun } from './load.ts';
import { topOf } from './open-drive.ts';
import type { DriveHandle, DriveOptions, Receipt } from './views.ts';

/**
 * Records a person's answer. One commit closes the gate, stores the answer bound to the digest that was shown, and
 * moves the run. The first answer wins. The same answer again gets the same receipt. Any other answer is refused and
 * shows the winner. Works with or without a live drive.
 */
export async function answerGate(
  service: Service,
  id: GateId,
  raw: AnswerInput,
  { by, options }: { by: Person; options: DriveOptions | null },
): Promise<Receipt | Rejection> {
  const { deps } = service;
  // Only a drive answers on behalf of a person, and it does not call this function.
  if (!provenance(by).startsWith('human:')) throw new InvariantError(`${id}: no person answers`);
  const parsed = AnswerInput.safeParse(raw);
  if (!parsed.success) return refuseInput(parsed.error, raw);
  const input = parsed.data;
  await deliver(deps);
  const found = await loadRun(deps, id.slice(0, id.lastIndexOf('.g')));
  const held = !isRejection(found) && found.at.gate?.id === id ? found : null;
  const gate = held?.at.gate ?? (await deps.store.gate(id));
  if (!gate) return reject('no_such_gate', { gate: id });
  if (isRejection(found)) return found;
  const { run } = found.at;
  const state = await holderState(deps, run);
  const answer: Answer = {
    receipt: `an-${deps.ids.short(6)}`,
    gate: id,
    run: gate.run,
    iteration: gate.iteration,
    option: input.option,
    text: input.text,
    fields: input.fields,
    digest: input.digest as Hash,
    by,
    at: deps.clock.now(),
  };
  const decide = (at: At): Input | Rejection => {
    if (at.gate?.id !== id) return reject('gate_closed', { gate: id, status: gate.status });
    return (
      refuseAnswer(at.gate, input) ?? { kind: 'answer', answer: { ...answer, iteration: at.gate.iteration } }
    );
  };
  const takes = options !== null && state !== 'alive' && state !== 'mine';
  const drive = await driveAfterwards(service, found, { state, takes, by: options?.opened_by ?? by.person });
  const taking: Taking = { state, epoch: run.epoch, def: found.def, takes, drive, options };
  const context = (at: At) => leaseWith(service, at, by, taking);
  // Queried before the answer, because the answer may end the run. The run that waits for it then continues.
  const top = run.parent === null ? run.id : await topOf(deps, run.id);
  const applied = await apply(deps, gate.run, { input: decide, context, held });
  if (isRejection(applied)) return (await repeated(service, gate, input, by)) ?? applied;
  return await receiptOf(service, applied, { ...taking, answer, top });
}

interface Taking {
  /**
   * The holder state and epoch when they were loaded. If the epoch has changed since, this process must not take the
   * lease.
   */
  readonly state: HolderState;
  readonly epoch: number;
  readonly def: Workflow;
  readonly takes: boolean;
  readonly drive: Drive | null;
  readonly options: DriveOptions | null;
}

/**
 * An answer is not an invocation. The open drive continues in its mode, otherwise a controlled drive is opened
 * (CON-111).
 */
async function driveAfterwards(
  { deps }: Service,
  { def, at }: Loaded,
  { state, takes, by }: { state: HolderState; takes: boolean; by: string },
): Promise<Drive | null> {
  const { run } = at;
  if (takes) deps.ready?.(run);
  if (!def.delegate) return takes ? newDrive(deps, run.id, by) : null;
  const newest = await deps.store.drive(run.id);
  return (await openDrive(deps, { run, newest, state })) ? null : newDrive(deps, run.id, by);
}

/** The commit of the answer also takes the lease if this process will drive the run and no other process does. */
function leaseWith(service: Service, at: At, by: Person, taking: Taking): TransitionContext {
  const { deps } = service;
  const { run } = at;
  const base = { now: deps.clock.now(), by: by.person, hash: deps.hash };
  const { def, state, options } = taking;
  const still = run.epoch === taking.epoch;
  const drive = taking.drive && still ? ({ kind: 'opened', drive: taking.drive } as const) : null;
  if (taking.takes && still) {
    const while_idle = staysAt(def, options?.attended ?? false);
    return { ...base, lease: { holder: deps.processes.self(), epoch: run.epoch + 1, while_idle, drive } };
  }
  const attended = state === 'alive' || (service.drives.get(run.id)?.attended ?? false);
  const holder = state === 'dead' ? null : run.holder;
  const lease = { holder, epoch: run.epoch, while_idle: staysAt(def, attended), drive };
  return { ...base, lease: service.drives.has(run.id) ? lease : { ...lease, performs: false } };
}

async function receiptOf(
  service: Service,
  applied: Applied,
  taking: Taking & { readonly answer: Answer; readonly top: RunId },
): Promise<Receipt> {
  const { answer, state, options } = taking;
  const { run } = applied.at;
  const took = applied.change.guard?.epoch !== run.epoch;
  const own = took
    ? await service.adopt({ id: run.id, epoch: run.epoch, attended: options?.attended ?? false, applied })
    : mine(service, run, applied);
  const handle = own && taking.top !== run.id ? await fromTop(service, taking.top, own, options) : own;
  const driven_elsewhere = state === 'alive' && run.holder ? `${run.holder.host}:${run.holder.pid}` : null;
  const { receipt } = answer;
  return {
    ok: true,
    receipt,
    repeated: false,
    run: run.id,
    answer,
    status: run.status,
    ...(applied.change.gate_closed?.status === 'withdrawn' && { not_applied: true as const }),
    driven_elsewhere,
    handle,
  };
}

/**
 * Opens the drive of the topmost run that waits for this one, which also drives this one. If another process holds that
 * run, only this one is driven here.
 */
async function fromTop(
  service: Service,
  top: RunId,
  own: DriveHandle,
  options: DriveOptions | null,
): Promise<DriveHandle> {
  const opened = options ? await service.open(top, options) : service.drives.get(top);
  return !opened || isRejection(opened) ? own : opened;
}

function mine(service: Service, run: Run, applied: Applied): DriveHandle | null {
  const drive = service.drives.get(run.id);
  drive?.accept(applied);
  return drive ?? null;
}

/**
 * The same person, option, digest and text again: the same receipt, with `repeated`. Any other answer gets the winning
 * one.
 */
async function repeated(
  service: Service,
  seen: Gate,
  input: AnswerInput,
  by: Person,
): Promise<Receipt | Rejection | null> {
  const { deps } = service;
  const gate = await deps.store.gate(seen.id);
  if (gate?.status !== 'answered') return null;
  const answer = await deps.store.answerOf(gate.id, gate.iteration);
  if (!answer || !('person' in answer.by)) return null;
  const same =
    answer.by.person === by.person &&
    answer.option === input.option &&
    answer.digest === input.digest &&
    answer.text === input.text &&
    canonicalJson(answer.fields) === canonicalJson(input.fields);
  const run = await deps.store.load(gate.run);
  if (!run) return null;
  if (!same) {
    const { option, at } = answer;
    const winner = { option, by: answer.by.person, at };
    return reject(
      'gate_closed',
      { gate: gate.id, status: gate.status, option, by: winner.by },
      { msg: 'engine.rejection.answered_by', current: winner },
    );
  }
  const { receipt } = answer;
  return {
    ok: true,
    receipt,
    repeated: true,
    run: run.id,
    answer,
    status: run.status,
    driven_elsewhere: null,
    handle: null,
  };
}
