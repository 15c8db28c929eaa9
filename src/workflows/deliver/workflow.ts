import { DeliverInput, DeliverState } from '../../contract/deliver.ts';
import { isStepName } from '../../contract/deliver-invocation.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { fromDecide } from '../../engine/decide.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import { defineWorkflow } from '../../engine/workflow.ts';
import { decide } from './decide.ts';
import { deliverDocuments } from './documents.ts';
import { deliverGates } from './gates.ts';
import { onNotices } from './incidents.ts';
import { worldFailed } from './moves.ts';
import { deliverPhases } from './phases.ts';
import { receive } from './receive.ts';
import { deliverRoles } from './roles.ts';
import { start } from './start.ts';
import { left, status } from './summary.ts';
import { notifyTicket } from './ticket.ts';
import { noteControls, withControls } from './touched.ts';

const { next, settle } = fromDecide<DeliverState>({ decide, failed: worldFailed });

/** One task becomes a verified change: plan, generate, verify, evaluate, with a person's decision after each part. */
export const deliverWorkflow = defineWorkflow<DeliverState>({
  name: 'deliver',
  prefix: 'de',
  version: 1,
  own_tree: true,
  measures: true,
  state: DeliverState,
  input: DeliverInput,
  migrations: [],
  phases: deliverPhases,
  roles: deliverRoles,
  gates: deliverGates,
  documents: deliverDocuments,
  start,
  next: (state) => withControls(state, next(state)),
  settle: (state, step, outcome) => {
    const noted = noteControls(state, outcome);
    return notifyTicket(state, withRecords(settle(noted.state, step, outcome), noted.records));
  },
  onNotices,
  receive: (state, signal) => notifyTicket(state, receive(state, signal)),
  needs: (command) => (isStepName(command) ? 'not_a_worker' : 'person'),
  title: (state) => state.task,
  status,
  left,
});

function withRecords(
  move: Move<DeliverState> | Rejection,
  records: readonly MoveRecord[],
): Move<DeliverState> | Rejection {
  return isRejection(move) || records.length === 0
    ? move
    : { ...move, records: [...records, ...move.records] };
}
