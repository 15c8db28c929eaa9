import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/contract/answer.ts';
import type { Gate } from '../../../src/contract/gate.ts';
import {
  type Activity,
  TERMINAL_STATES,
  TICKET_STATES,
  type TicketState,
  TRUST_LEVELS,
} from '../../../src/contract/ticket.ts';
import { gateOf, isBefore, sureSignals } from '../../../src/engine/delegation.ts';
import { DRIVE_MODES, modeFromFlags, parseMode } from '../../../src/engine/drive-mode.ts';
import { fold } from '../../../src/engine/fold.ts';
import type { Input } from '../../../src/engine/input.ts';
import { parseProvenance, provenance } from '../../../src/engine/provenance.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { detectRisks } from '../../../src/engine/risk-classes.ts';
import { transition } from '../../../src/engine/transition.ts';
import { coreOf } from '../../../src/engine/write-change.ts';
import { edge } from '../../../src/workflows/conduct/edges.ts';
import { awaitingOf, metaView, ticketRow } from '../../../src/workflows/conduct/row.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import { answerTo, byDrive, deepFreeze, delegated, isThere } from './histories.ts';
import { decisions, entries, GATES, HISTORIES, MOMENTS } from './random-histories.ts';
import { context, happen, type Moment, nowOf, type Scene, stateOf } from './scene.ts';

const MODES = DRIVE_MODES.flatMap((text) => parseMode(text) ?? []);
const UNATTENDED = { agent: 'unattended', drive: 'dr-1' };
const asked = (
  { scene, gate }: { scene: Scene; gate: Gate },
  mode: (typeof MODES)[number],
  trust: Scene['trust'],
) =>
  conductWorkflow.delegate?.(scene.at.run.state as never, {
    mode,
    trust,
    content: JSON.stringify(gate.brief),
  });
function answerIn({ change }: Moment): Answer {
  if (!change?.answer) throw new Error('nobody answered');
  return change.answer;
}
const byAgent = (moment: Moment) => moment.change?.answer != null && 'agent' in answerIn(moment).by;

describe('invariants over random histories', () => {
  test('the histories are worth looking at: every state, gate and kind of way is among them', () => {
    expect([...new Set(MOMENTS.map(({ after }) => after.at.run.phase))].sort()).toEqual(
      [...TICKET_STATES].sort(),
    );
    expect([...new Set(GATES.map(({ gate }) => gate.name))].sort()).toEqual(
      Object.keys(conductWorkflow.gates).sort(),
    );
    const ways = new Set(MOMENTS.flatMap((one) => entries(one, 'history').map(({ activity }) => activity)));
    expect([...ways]).toEqual(
      expect.arrayContaining([
        'rolling-up',
        'fast-forwarding',
        'unparking',
        'revising-building',
        'verifying',
      ]),
    );
    expect(MOMENTS.filter(byAgent).length).toBeGreaterThan(200);
    expect(MOMENTS.filter(({ before }) => stateOf(before).stale).length).toBeGreaterThan(100);
    expect(MOMENTS.some((moment) => entries(moment, 'late').length > 0)).toBe(true);
  });

  test('CON INV-01 no release, verify or deliverable is resolved by an agent, and one that tries is refused', () => {
    for (const moment of MOMENTS) {
      for (const { reason, provenance: from } of decisions(moment, 'brief_resolved')) {
        const hard = ['release-decision-pending', 'verification-ack-pending'].includes(String(reason));
        if (hard || stateOf(moment.before).brief?.deliverable) expect(from).toMatch(/^human:/);
      }
    }
    const hard = GATES.filter(
      ({ scene, gate }) => gate.class !== 'forward' || stateOf(scene).brief?.deliverable,
    );
    expect(hard.some(({ gate }) => gate.class === 'forward')).toBe(true);
    for (const { scene, gate } of hard) {
      const state = scene.at.run.state as never;
      const answer = byDrive(scene, gate, 'accept');
      const outcome = { kind: 'answered', answer, at: answer.at } as const;
      const move = conductWorkflow.settle(state, conductWorkflow.next(state), outcome);
      expect(isRejection(move) && move.rejection, gate.name).toBe('not_a_person');
    }
  });

  test('CON INV-05 nothing is accepted on behalf in a run whose invocation had no delegating flag', () => {
    for (const moment of MOMENTS) {
      const { mode } = moment.before;
      if (!mode || mode.kind === 'controlled') expect(byAgent(moment)).toBe(false);
    }
    for (const open of GATES)
      for (const trust of TRUST_LEVELS)
        expect(asked(open, { kind: 'controlled' }, trust)?.kind).toBe('pause');
  });

  test('under a cautious trust level nothing is accepted on behalf, in any mode', () => {
    for (const moment of MOMENTS) if (moment.before.trust === 'cautious') expect(byAgent(moment)).toBe(false);
    for (const open of GATES)
      for (const mode of MODES) expect(asked(open, mode, 'cautious')?.kind).toBe('pause');
  });

  test('CON-54 what is given on behalf is accept and nothing else, and no row before the last held', () => {
    for (const moment of MOMENTS.filter(byAgent)) {
      const { before } = moment;
      const { option, by } = answerIn(moment);
      const { brief, stale, unproven, phase, judged, labels, title, description } = stateOf(before);
      const gate = gateOf(phase) ?? 'verify';
      const { mode, trust } = before;
      if (!brief || !mode) throw new Error('accepted without a brief or a mode');
      expect(option).toBe('accept');
      expect(decisions(moment, 'brief_resolved')).toMatchObject([
        { command: 'accept', provenance: provenance(by) },
      ]);
      expect([stale, unproven]).toEqual([null, null]);
      expect([trust === 'cautious', brief.deliverable, brief.revised]).toEqual([false, false, false]);
      expect(
        isBefore(
          gate,
          mode.kind === 'partial' && isBefore(mode.pause_at, 'release') ? mode.pause_at : 'release',
        ),
      ).toBe(true);
      expect(
        detectRisks({ title, description, labels, content: JSON.stringify(brief.doc), paths: [] }),
      ).toEqual([]);
      if (mode.kind === 'escalate') {
        expect(judged).toMatchObject({
          brief: brief.id,
          iteration: brief.iteration,
          verdict: { worth: false, signals: [] },
        });
        expect(sureSignals(brief.doc)).toEqual([]);
      }
    }
    for (const { scene, gate } of GATES)
      for (const option of Object.keys(gate.options).filter((one) => one !== 'accept')) {
        const input = { kind: 'answer', answer: byDrive(scene, gate, option) } as const;
        expect(() => transition(conductWorkflow, scene.at, input, context(1)), option).toThrow('agent');
      }
  });

  test('CON INV-08 folding the log gives the row, and each step is a function of the row', () => {
    for (const { first, moments } of HISTORIES.slice(0, 80)) {
      const events = [...first.change.events];
      for (const { one, before, change } of moments) {
        events.push(...(change?.events ?? []));
        expect(happen(before, one)?.change).toEqual(change);
      }
      const last = moments.at(-1)?.after.at.run ?? first.change.run;
      expect(fold(events)).toEqual(coreOf(last));
    }
  });

  test('CON INV-09 what nobody knows is refused and changes nothing', () => {
    const told = (command: string, args: Record<string, unknown> = {}) =>
      ({ type: 'command', command, by: 'ada', args }) as const;
    const doc = { decide: 'x', items: [] };
    const unknown = [
      told('conducting'),
      told('constructor'),
      told('reopen', { to: 'desing', why: 'x' }),
      told('advance', { activity: 'releasing-now' }),
      told('advance', { activity: 'toString' }),
      told('compose', { reason: 'looks-good', doc }),
      told('compose', { reason: 'build-go-pending', doc }),
      told('compose', { reason: 'plan-draft', doc, pending_activity: 'shipping' }),
      told('tracks', { required: ['marketing'] }),
      told('edit', { owner: 'ada' }),
      told('adopt', { id: '13', title: 'x', state: 'Idea' }),
    ];
    for (const { after } of MOMENTS.filter((_, n) => n % 10 === 0)) {
      const { run } = after.at;
      const before = JSON.stringify(run);
      for (const signal of unknown) {
        const input: Input = { kind: 'signal', signal: { ...signal, at: nowOf(after) }, inbox: null };
        expect(isRejection(transition(conductWorkflow, after.at, input, context(1)))).toBe(true);
      }
      expect(JSON.stringify(run)).toBe(before);
    }
    for (const { scene, gate } of GATES)
      expect(answerTo(scene, gate, { option: 'maybe', by: UNATTENDED })).toMatchObject({
        rejection: 'no_such_option',
      });
    for (const value of ['', 'human:', 'agent:', 'agent:controlled', 'agent:unatended', 'human:cli'])
      expect(isRejection(parseProvenance(value, 'engine'))).toBe(true);
    expect(isRejection(modeFromFlags({ unatended: true } as never))).toBe(true);
  });

  test('CON INV-10 there is never more than one open gate, and never more than one brief', () => {
    for (const { first, moments } of HISTORIES) {
      const open = new Set(first.change.gate_opened ? [first.change.gate_opened.id] : []);
      let brief: string | null = null;
      for (const moment of moments) {
        const { gate_closed, gate_opened } = moment.change ?? {};
        if (gate_closed) expect(open.delete(gate_closed.id)).toBe(true);
        if (gate_opened) open.add(gate_opened.id);
        expect(open.size).toBeLessThanOrEqual(1);
        const now = stateOf(moment.after).brief?.id ?? null;
        // A brief takes no other's place: the one before was answered, withdrawn or left behind first.
        if (brief !== null && now !== brief) expect(now).toBeNull();
        brief = now;
      }
    }
  });

  test('CON INV-11 who waits for a person waits with an artefact, and a ticket that is over waits for nobody', () => {
    const over: readonly string[] = TERMINAL_STATES;
    for (const { after } of MOMENTS) {
      const state = stateOf(after);
      const awaiting = awaitingOf(state);
      if (over.includes(state.phase)) expect(awaiting).toBeNull();
      if (after.at.gate) expect(awaiting !== null || state.trouble !== null).toBe(true);
      if (awaiting) expect(isThere(state, awaiting.ref), JSON.stringify(awaiting)).toBe(true);
    }
  });

  test('CON INV-12 every change of state is an edge of the table, and a stale ticket makes no forward edge', () => {
    for (const moment of MOMENTS) {
      const before = stateOf(moment.before);
      let at: TicketState | null = before.phase;
      for (const { from, to, activity } of entries(moment, 'history')) {
        expect(from).toBe(at);
        const { prev_state } = before;
        const stale = before.stale !== null && stateOf(moment.after).stale !== null;
        const found = edge(from as TicketState, activity as Activity, { stale, prev_state });
        expect(isRejection(found) ? found.message : found.to).toBe(to);
        at = to as TicketState;
      }
      expect(stateOf(moment.after).phase).toBe(at);
    }
  });

  test('CON-60 a controlled gate that is left alone for a week is where it was', () => {
    const resting = GATES.filter(({ gate }) => gate.class === 'forward').slice(0, 60);
    expect(resting.length).toBe(60);
    for (const { scene, gate } of resting) {
      let now: Scene = { ...scene, mode: { kind: 'controlled' } };
      for (let hour = 0; hour < 7 * 24; hour += 1) {
        now = { ...now, minutes: now.minutes + 60 };
        expect(delegated(now, gate)).toEqual([]);
        if (hour % 24 > 0) continue;
        // Whoever starts the engine again finds the same gate and does nothing.
        const again = happen(now, { name: 'resume', input: { kind: 'resume' } });
        expect(again?.change).toMatchObject({
          records: [],
          gate_opened: null,
          gate_closed: null,
          answer: null,
        });
        now = again?.after ?? now;
      }
      expect(now.at.run.state).toEqual(scene.at.run.state);
      expect(now.at.gate).toEqual(gate);
    }
  });

  test('CON-17 the step and the word of every mode are functions of the row: asked twice, of copies nobody can change', () => {
    const words = (scene: Scene) => {
      const state = deepFreeze(JSON.parse(JSON.stringify(scene.at.run.state)));
      const content = JSON.stringify(stateOf(scene).brief?.doc ?? '');
      const said = MODES.flatMap((mode) =>
        TRUST_LEVELS.map((trust) => conductWorkflow.delegate?.(state, deepFreeze({ mode, trust, content }))),
      );
      return { step: conductWorkflow.next(state), said };
    };
    const kinds = new Set<unknown>();
    for (const { after } of MOMENTS.filter((_, n) => n % 4 === 0)) {
      const once = words(after);
      expect(words(after)).toEqual(once);
      for (const word of once.said) kinds.add(word?.kind);
    }
    expect([...kinds].sort()).toEqual(['accept', 'judge', 'pause']);
  });

  test('CON-34 whatever changes the state closes the brief, the gate and the flag of the gate left behind, in one change', () => {
    let closed = 0;
    for (const moment of MOMENTS) {
      if (entries(moment, 'history').length === 0) continue;
      const after = stateOf(moment.after);
      expect([after.brief, after.pending, after.judged]).toEqual([null, null, null]);
      // A round that is open then was asked after the last edge, in the same change.
      const rounds = entries(moment, 'round').map(({ id }) => id);
      if (after.round) expect(rounds).toContain(after.round.id);
      const allowed = ['build-go-pending', 'verification-ack-pending'];
      const reason = awaitingOf(after)?.reason;
      if (reason !== undefined && !after.round) expect(allowed).toContain(reason);
      const left = moment.before.at.gate;
      if (left?.status !== 'open') continue;
      expect(moment.change?.gate_closed?.id).toBe(left.id);
      closed += 1;
    }
    expect(closed).toBeGreaterThan(200);
  });

  test('CON-62 a lean view leaves out text, never what is computed from it', () => {
    for (const { after } of MOMENTS.filter((_, n) => n % 5 === 0)) {
      const content = JSON.stringify(stateOf(after).brief?.doc ?? '');
      const whole = ticketRow(stateOf(after), content, ['db/migrations/1.sql']);
      const meta = metaView(whole);
      expect(whole).toMatchObject(meta);
      expect(meta).not.toHaveProperty('description');
      for (const key of [
        'risk_classes',
        'pending_resolution',
        'pending_remark',
        'active_round',
        'active_brief_iteration',
        'awaiting_human_ref',
        'stale_ref',
      ] as const)
        expect(meta[key]).toEqual(whole[key]);
    }
  });
});
