import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/engine/errors.ts';
import type { InboxItem } from '../../src/ports/store.ts';
import {
  aGate,
  anAnswer,
  at,
  creating,
  DIGEST,
  ended,
  moving,
  OTHER_DIGEST,
  T0,
  waitingFor,
} from '../support/changes.ts';
import type { Fixture } from './store-fixture.ts';

const COMMITTED = { kind: 'committed' };

/** Gates with their answers and drafts; signals and the messages of ended runs. */
export function gatesAndMessages(f: Fixture): void {
  describe('gates', () => {
    test('come back as they were stored, the open ones oldest first', async () => {
      const first = aGate('sp-1', 1, { opened_at: '2026-01-01T00:00:02.000Z', typed: 'x' });
      const second = aGate('sp-2', 1, { opened_at: '2026-01-01T00:00:01.000Z' });
      await f.commit(
        creating('sp-1', at(first), { gate_opened: first }),
        creating('sp-2', at(second), { gate_opened: second }),
      );
      expect(await f.store.gate('sp-1.g1')).toEqual(first);
      expect(await f.store.gate('sp-1.g2')).toBeUndefined();
      expect(await f.store.openGates()).toEqual([second, first]);
      expect(await f.store.openGates('sp-1')).toEqual([first]);
    });

    test('an answered gate is closed and its answer kept', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const answer = anAnswer(gate, { text: 'ja', fields: { q1: 'blue' } });
      const gate_closed = { id: gate.id, status: 'answered', at: T0 } as const;
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed, answer }));
      expect(await f.store.gate(gate.id)).toEqual({ ...gate, status: 'answered', closed_at: T0 });
      expect(await f.store.openGates()).toEqual([]);
      expect(await f.store.answerOf(gate.id, 1)).toEqual(answer);
      expect(await f.store.answerOf(gate.id, 2)).toBeUndefined();
      expect(await f.store.answers('sp-1')).toEqual([answer]);
      expect(await f.store.answers('sp-2')).toEqual([]);
    });

    test('a changed gate keeps its id under a new iteration and digest', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const gate_closed = { id: gate.id, status: 'withdrawn', at: T0 } as const;
      const gate_opened = aGate('sp-1', 1, { iteration: 2, digest: OTHER_DIGEST, turn: 2 });
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed, gate_opened }));
      expect(await f.store.openGates('sp-1')).toEqual([gate_opened]);
    });

    test('CON-25 a second one beside an open one is refused, and nothing of that change is written', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const before = await f.load('sp-1');
      const second = aGate('sp-1', 2, { turn: 2 });
      await expect(f.commit(moving(before, {}, { gate_opened: second }))).rejects.toThrow(InvariantError);
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.openGates('sp-1')).toEqual([gate]);
      const gate_closed = { id: gate.id, status: 'withdrawn', at: T0 } as const;
      expect(await f.commit(moving(before, at(second), { gate_closed, gate_opened: second }))).toEqual(
        COMMITTED,
      );
      expect(await f.store.openGates('sp-1')).toEqual([second]);
      const other = aGate('sp-2', 1);
      await f.commit(creating('sp-2', at(other), { gate_opened: other }));
      expect(await f.store.openGates()).toHaveLength(2);
    });

    test('a gate and iteration has one answer', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      await f.commit(moving(await f.load('sp-1'), {}, { answer: anAnswer(gate) }));
      const before = await f.load('sp-1');
      const second = anAnswer(gate, { option: 'refuse', receipt: 'r2' });
      await expect(f.commit(moving(before, {}, { answer: second }))).rejects.toThrow(InvariantError);
      expect(await f.load('sp-1')).toEqual(before);
      const later = anAnswer({ ...gate, iteration: 2 });
      expect(await f.commit(moving(before, {}, { answer: later }))).toEqual(COMMITTED);
      expect(await f.store.answers('sp-1')).toEqual([anAnswer(gate), later]);
    });

    test.each([
      ['hard', 'accept'],
      ['decision', 'accept'],
      ['question', 'accept'],
      ['trouble', 'accept'],
      ['forward', 'deny'],
    ] as const)('CON-90 an agent that answers a %s gate with %s is refused', async (kind, option) => {
      const gate = aGate('sp-1', 1, { class: kind });
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const before = await f.load('sp-1');
      const gate_closed = { id: gate.id, status: 'answered', at: T0 } as const;
      const answer = anAnswer(gate, { option, by: { agent: 'unattended', drive: 'd1' } });
      await expect(f.commit(moving(before, {}, { gate_closed, answer }))).rejects.toThrow(InvariantError);
      expect(await f.store.answers('sp-1')).toEqual([]);
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.openGates()).toEqual([gate]);
    });

    test('an agent accepts at a forward gate', async () => {
      const gate = aGate('sp-1', 1, { class: 'forward' });
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const gate_closed = { id: gate.id, status: 'answered', at: T0 } as const;
      const answer = anAnswer(gate, { option: 'accept', by: { agent: 'unattended', drive: 'd1' } });
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed, answer }));
      expect(await f.store.answers('sp-1')).toEqual([answer]);
    });

    test('a gate closes once', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const gate_closed = { id: gate.id, status: 'withdrawn', at: T0 } as const;
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed }));
      await expect(f.commit(moving(await f.load('sp-1'), {}, { gate_closed }))).rejects.toThrow(
        InvariantError,
      );
    });
  });

  describe('drafts', () => {
    test('a draft is kept beside the open gate and moves no revision', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      const before = await f.load('sp-1');
      expect(await f.store.draft(gate.id)).toEqual({});
      expect(await f.store.storeDraft(gate.id, DIGEST, { q1: 'bl' })).toBe(true);
      expect(await f.store.storeDraft(gate.id, DIGEST, { q1: 'blue', text: '' })).toBe(true);
      expect(await f.other.draft(gate.id)).toEqual({ q1: 'blue', text: '' });
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.gate(gate.id)).toEqual(gate);
    });

    test('a draft for what is no longer shown is refused', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      await f.store.storeDraft(gate.id, DIGEST, { q1: 'a' });
      expect(await f.store.storeDraft(gate.id, OTHER_DIGEST, { q1: 'b' })).toBe(false);
      expect(await f.store.storeDraft('sp-1.g9', DIGEST, {})).toBe(false);
      expect(await f.store.draft(gate.id)).toEqual({ q1: 'a' });
      const gate_closed = { id: gate.id, status: 'answered', at: T0 } as const;
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed, answer: anAnswer(gate) }));
      expect(await f.store.storeDraft(gate.id, DIGEST, { q1: 'c' })).toBe(false);
      expect(await f.store.draft(gate.id)).toEqual({});
    });

    test('what was typed outlives a change of the gate', async () => {
      const gate = aGate('sp-1', 1);
      await f.commit(creating('sp-1', at(gate), { gate_opened: gate }));
      await f.store.storeDraft(gate.id, DIGEST, { q1: 'typed' });
      const gate_closed = { id: gate.id, status: 'withdrawn', at: T0 } as const;
      const gate_opened = aGate('sp-1', 1, { iteration: 2, digest: OTHER_DIGEST });
      await f.commit(moving(await f.load('sp-1'), {}, { gate_closed, gate_opened }));
      expect(await f.store.draft(gate.id)).toEqual({ q1: 'typed' });
    });
  });

  describe('the inbox', () => {
    test('keeps signals in order until they are applied', async () => {
      await f.commit(creating('sp-1'), creating('sp-2'));
      const [a, b, c] = [item('z', 'sp-1'), item('a', 'sp-1'), item('m', 'sp-2')];
      await f.commit(moving(await f.load('sp-2'), {}, { inbox_added: [a, c, b] }));
      expect(await f.store.pending('sp-1')).toEqual([a, b]);
      expect(await f.store.pending()).toEqual([a, c, b]);
      await f.commit(moving(await f.load('sp-1'), {}, { inbox_done: 'z' }));
      expect(await f.other.pending('sp-1')).toEqual([b]);
    });

    test('a signal is stored once and applied once', async () => {
      await f.commit(creating('sp-1'));
      const added = { inbox_added: [item('x', 'sp-1')], inbox_done: 'x' };
      expect(await f.commit(moving(await f.load('sp-1'), {}, added))).toEqual(COMMITTED);
      expect(await f.store.pending()).toEqual([]);
      const before = await f.load('sp-1');
      expect(await f.commit(moving(before, {}, { inbox_done: 'x' }))).toEqual({ kind: 'stale', run: 'sp-1' });
      expect(await f.load('sp-1')).toEqual(before);
      await f.commit(moving(before, {}, { inbox_added: [item('x', 'sp-1')] }));
      expect(await f.store.pending()).toEqual([]);
    });

    test('takes no signal for a run that does not exist', async () => {
      const added = creating('sp-1', {}, { inbox_added: [item('x', 'sp-9')] });
      await expect(f.commit(added)).rejects.toThrow(InvariantError);
      expect(await f.store.load('sp-1')).toBeUndefined();
    });
  });

  describe('the end of a run', () => {
    const told = (run: string, key: string | null) => ({
      type: 'run_ended',
      run,
      key,
      result: 'approved',
      at: '2026-01-03T00:00:00.000Z',
    });
    const end = { ...ended('approved'), updated_at: '2026-01-03T00:00:00.000Z' };

    test('reaches every run that waits for it, in the same commit', async () => {
      await f.commit(
        creating('sp-1'),
        creating('sp-2', waitingFor('sp-1')),
        creating('sp-3', waitingFor('sp-9')),
      );
      await f.commit(creating('sp-4', { ...waitingFor('sp-1'), ...ended('x') }));
      await f.commit(moving(await f.load('sp-1'), end));
      const [only, ...rest] = await f.store.pending();
      expect(only).toMatchObject({ id: 'sp-1>sp-2', run: 'sp-2', signal: told('sp-1', null) });
      expect(rest).toEqual([]);
    });

    test('reaches the parent once, with the key it was started under', async () => {
      await f.commit(
        creating('sp-1', waitingFor('sp-2')),
        creating('sp-2', { parent: 'sp-1', parent_key: 'phase-1' }),
      );
      await f.commit(moving(await f.load('sp-2'), end));
      expect(await f.store.pending()).toEqual([
        { id: 'sp-2>sp-1', run: 'sp-1', at: end.updated_at, signal: told('sp-2', 'phase-1') },
      ]);
    });

    test('is not sent to a parent that has itself ended or is not there', async () => {
      await f.commit(
        creating('sp-1', ended('x')),
        creating('sp-2', { parent: 'sp-1' }),
        creating('sp-3', { parent: 'sp-0' }),
      );
      await f.commit(moving(await f.load('sp-2'), end), moving(await f.load('sp-3'), end));
      expect(await f.store.pending()).toEqual([]);
    });

    test('reaches a run that begins to wait after it, or in the same commit', async () => {
      await f.commit(creating('sp-1'), creating('sp-2'), creating('sp-3'));
      await f.commit(moving(await f.load('sp-3'), waitingFor('sp-1')), moving(await f.load('sp-1'), end));
      const later = { ...waitingFor('sp-1'), updated_at: '2026-01-03T00:00:00.000Z' };
      await f.commit(moving(await f.load('sp-2'), later));
      const pending = await f.store.pending();
      expect(pending.map(({ id }) => id)).toEqual(['sp-1>sp-3', 'sp-1>sp-2']);
      expect(pending.map(({ signal }) => signal)).toContainEqual(told('sp-1', null));
      await f.commit(moving(await f.load('sp-2'), {}, { inbox_done: 'sp-1>sp-2' }));
      expect(await f.store.pending('sp-2')).toEqual([]);
    });

    test('without an outcome is refused', async () => {
      await f.commit(creating('sp-1'), creating('sp-2', waitingFor('sp-1')));
      const bad = moving(await f.load('sp-1'), { status: 'ended' });
      await expect(f.commit(bad)).rejects.toThrow(InvariantError);
      expect((await f.load('sp-1')).status).toBe('working');
    });
  });
}

function item(id: string, run: string): InboxItem {
  return { id, run, at: T0, signal: { type: 'fact', what: 'merged', value: { id }, at: T0 } };
}
