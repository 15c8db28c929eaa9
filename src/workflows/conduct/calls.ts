import type { Msg } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type { SlotRef, Step, WorkerCall } from '../../contract/step.ts';

/** A wait that ends with one of these commands. */
export function waits(commands: readonly string[], why: Msg, idle: 'ticket' | 'children' = 'ticket'): Step {
  return { kind: 'wait', until: { kind: 'command', commands, why, idle } };
}

/** A step without a call, so that two consecutive states are two commits. */
export function pass(state: ConductState): Step {
  return { kind: 'work', during: state.phase, calls: [] };
}

export function work(state: ConductState, role: string, slots: Record<string, SlotRef>): Step {
  const call: WorkerCall = { role, slots, tier: 'inherit' };
  return { kind: 'work', during: state.phase, calls: [call] };
}

/** The slots that every worker of a ticket gets. Each slot is always present, and empty if there is no value. */
export function ticketSlots(state: ConductState): Record<string, SlotRef> {
  const { run, title, description, labels, priority, phase, criteria, pending, brief: draft } = state;
  return {
    ticket: { json: { id: run, title, description, labels, priority, state: phase } },
    clarification: { text: state.inherited ?? '' },
    criteria: { json: criteria },
    knowledge: { json: state.knowledge?.entries ?? [] },
    history: { records: 'accepted' },
    answers: { records: 'answers' },
    draft: draft ? { json: draft.doc } : { text: '' },
    feedback: { text: pending?.detail ?? (state.stale ? '' : (state.set_aside?.detail ?? '')) },
    remark: { text: state.remark?.text ?? '' },
    lang: { text: state.user_lang },
  };
}
