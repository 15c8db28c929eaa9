import { type Answer, AnswerInput, type Person } from '../contract/answer.ts';
import type { Drive } from '../contract/change.ts';
import type { Gate } from '../contract/gate.ts';
import type { GateId, Hash } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { refuseAnswer } from '../engine/answers.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Input } from '../engine/transition.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { DriveHandle, DriveWish, Receipt } from './api.ts';
import { type Applied, apply, deliver } from './apply.ts';
import { newDrive } from './drive.ts';
import { holderState } from './holder.ts';
import type { Service } from './live.ts';
import { loadRun } from './load.ts';

type HolderState = Awaited<ReturnType<typeof holderState>>;

/**
 * Records a person's answer: one commit closes the gate, stores the answer bound to the digest that was shown, and
 * moves the run. First one wins; the same answer again gets the same receipt; all else is refused with the winner.
 * Works with or without a living drive.
 */
export async function answerGate(
  service: Service,
  id: GateId,
  raw: AnswerInput,
  { by, wish }: { by: Person; wish: DriveWish | null },
): Promise<Receipt | Rejection> {
  const { deps } = service;
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
  const drive = wish && state !== 'alive' && state !== 'mine' ? newDrive(deps, run.id, wish.opened_by) : null;
  const taking: Taking = { state, epoch: run.epoch, drive, wish };
  const context = (at: At) => leaseWith(service, at, by, taking);
  const applied = await apply(deps, gate.run, { input: decide, context, held });
  if (isRejection(applied)) return (await repeated(service, gate, input, by)) ?? applied;
  return await receiptOf(service, applied, { ...taking, answer });
}

interface Taking {
  /** Who held the run when we looked, and at which epoch: if that has moved, the lease is not ours to take. */
  readonly state: HolderState;
  readonly epoch: number;
  readonly drive: Drive | null;
  readonly wish: DriveWish | null;
}

/** The lease is taken in the answer's own commit when this process will drive on and nobody else does. */
function leaseWith(service: Service, at: At, by: Person, taking: Taking): TransitionContext {
  const { deps } = service;
  const { run } = at;
  const base = { now: deps.clock.now(), by: by.person, hash: deps.hash };
  if (taking.drive && run.epoch === taking.epoch) {
    const lease = {
      holder: deps.processes.self(),
      epoch: run.epoch + 1,
      at_rest: taking.wish?.attended ?? false,
    };
    return { ...base, lease: { ...lease, drive: taking.drive } };
  }
  const at_rest = taking.state === 'alive' || (service.drives.get(run.id)?.attended ?? false);
  const holder = taking.state === 'dead' ? null : run.holder;
  return { ...base, lease: { holder, epoch: run.epoch, at_rest, drive: null } };
}

async function receiptOf(
  service: Service,
  applied: Applied,
  taking: Taking & { answer: Answer },
): Promise<Receipt> {
  const { answer, state, wish } = taking;
  const { run } = applied.at;
  const handle = applied.change.drive_opened
    ? await service.adopt({ id: run.id, epoch: run.epoch, attended: wish?.attended ?? false, applied })
    : mine(service, run, applied);
  const driven_elsewhere = state === 'alive' && run.holder ? `${run.holder.host}:${run.holder.pid}` : null;
  const { receipt } = answer;
  return {
    ok: true,
    receipt,
    repeated: false,
    run: run.id,
    answer,
    status: run.status,
    driven_elsewhere,
    handle,
  };
}

function mine(service: Service, run: Run, applied: Applied): DriveHandle | null {
  const drive = service.drives.get(run.id);
  drive?.accept(applied);
  return drive ?? null;
}

/** The same person, option and digest once more: the same receipt, marked. Anyone else is shown who was first. */
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
      { gate: gate.id, status: gate.status },
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
