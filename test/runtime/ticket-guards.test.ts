import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/engine/operation.ts';
import { isRejection, reject } from '../../src/engine/rejection.ts';
import { hostOf } from '../../src/runtime/service.ts';
import { resolveBrief } from '../../src/workflows/conduct/resolve-brief.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { CLI, call, conduct, create, ready, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();

/** Somebody's program without a person in front of it, and no worker of ours. */
const SCRIPT: Caller = { ...CLI, person: async () => reject('not_a_person', { reason: 'no terminal' }) };

async function atClarify(): Promise<Lab> {
  const lab = await open();
  await create(lab, 'Rename photos');
  await conduct(lab, 'B-1');
  return lab;
}

async function answer(lab: Lab, option: string, text: string | null = null): Promise<void> {
  const [shown] = await lab.api.gates('B-1');
  if (!shown) throw new Error('no gate');
  await lab.answer(shown.gate, option, text === null ? {} : { text });
}

const resolution = { iteration: 1, command: 'accept', provenance: 'human:cli' } as const;

describe('resolving a brief', () => {
  test('S16 answers that brief and no other question that stands before it', async () => {
    const lab = await atClarify();
    for (const gate of ['decompose', 'design']) {
      await answer(lab, 'accept');
      await conduct(lab, 'B-1');
      expect(gateOf({ gate: (await lab.api.gates('B-1'))[0]?.gate ?? null } as never).name).toBe(gate);
    }
    const { brief } = await stateOf(lab, 'B-1');
    ready(
      await lab.api.command({ run: 'B-1', command: 'reopen', args: { to: 'clarify', why: 'wrong idea' } }),
    );
    const before = await whole(lab);
    for (const command of ['accept', 'defer']) {
      const given = { ...resolution, task_id: 'B-1', brief_id: brief?.id, command };
      expect(await lab.api.as(CLI).operate('resolve_brief', given)).toMatchObject({
        rejection: 'wrong_moment',
      });
    }
    expect(await whole(lab)).toEqual(before);
  });

  test('S16 a draft that is replaced while its answer is on the way is not accepted', async () => {
    const lab = await atClarify();
    const gates: Lab['api']['gates'] = async (run) => {
      const shown = await lab.api.gates(run);
      if (shown[0]?.gate.edition === 1) await answer(lab, 'edit', '{"why":["Otherwise."]}');
      return lab.api.gates(run);
    };
    const given = { ...resolution, brief_id: 'B-1.b1', detail: null, typed: null };
    const told = await resolveBrief({ ...hostOf(lab.deps, lab.api.as(CLI)), gates }, 'B-1', given, 'cli');
    expect(told).toMatchObject({ rejection: 'stale_digest' });
    expect((await stateOf(lab, 'B-1')).phase).toBe('Idea');
  });
});

test('CON INV-17 a label is taken away by a person alone, whichever operation asks for it', async () => {
  const lab = await open();
  await create(lab, 'Rename photos', { labels: ['risk:auth', 'ui'] });
  for (const labels_remove of [['risk:auth'], ['ui'], ['RISK:auth', 'risk:auth']])
    expect(await lab.api.as(SCRIPT).operate('update_task', { task_id: 'B-1', labels_remove })).toMatchObject({
      rejection: 'not_a_person',
    });
  expect(await call(lab, 'update_task', { task_id: 'B-1', labels_add: ['x'] }, SCRIPT)).toMatchObject({
    labels: ['risk:auth', 'ui', 'x'],
  });
  expect(await call(lab, 'update_task', { task_id: 'B-1', labels_remove: ['ui'] })).toMatchObject({
    labels: ['risk:auth', 'x'],
  });
});

describe('a document from outside', () => {
  const compose = (lab: Lab, doc: object) =>
    lab.api.as(SCRIPT).operate('compose_brief', {
      task_id: 'B-1',
      reason: 'clarification-draft',
      pending_activity: 'clarifying',
      doc: { decide: 'So?', items: [], ...doc },
    });

  test('speaks in its own words: it names no text of ours, known or unknown', async () => {
    const lab = await atClarify();
    const before = await whole(lab);
    for (const doc of [
      { decide: { msg: 'nope' } },
      { context: [{ msg: 'conduct.context.no_classes' }] },
      { why: [{ msg: 'conduct.context.classes', args: {} }] },
      { recommend: { text: { msg: 'nope' }, confidence: 'high' } },
    ])
      expect(await compose(lab, doc)).toMatchObject({ rejection: 'bad_input' });
    expect(await whole(lab)).toEqual(before);
    const [shown] = await lab.api.gates('B-1');
    if (!shown) throw new Error('no gate');
    const edited = await lab.api.as(CLI).answer({
      gate: shown.gate.id,
      answer: {
        option: 'edit',
        text: '{"decide":{"msg":"nope"}}',
        fields: {},
        digest: shown.gate.digest,
        typed: null,
      },
    });
    expect(edited).toMatchObject({ rejection: 'bad_input' });
    expect(await whole(lab)).toEqual(before);
  });

  test('promises only writes that can be made', async () => {
    const lab = await atClarify();
    for (const payload of [[{ kind: 'delete_everything' }], ['x'], [{ kind: 'label_add' }]])
      expect(await compose(lab, { payload })).toMatchObject({ rejection: 'bad_input' });
  });
});

describe('the ledger', () => {
  test('a draft that was superseded stays so, its ticket is stale, and the next draft is another entry', async () => {
    const lab = await atClarify();
    ready(await lab.api.supersedeDecision({ id: 'B-1.d1' }));
    expect(await stateOf(lab, 'B-1')).toMatchObject({ stale: { id: 'B-1.d1' }, brief: null });
    await conduct(lab, 'B-1');
    await answer(lab, 'accept');
    await conduct(lab, 'B-1');
    await answer(lab, 'accept');
    const found = await lab.api.decisions({});
    if (isRejection(found)) throw new Error('refused');
    expect(found.map(({ id, status }) => `${id} ${status}`).sort()).toEqual([
      'B-1.d1 Superseded',
      'B-1.d2 Accepted',
    ]);
  });

  test('an accept makes no superseded entry valid again, and a deny takes no accepted one away', async () => {
    const lab = await atClarify();
    ready(await lab.api.recordDecision({ type: 'architecture', title: 'Old way', status: 'Accepted' }));
    ready(await lab.api.recordDecision({ type: 'architecture', title: 'Our way', status: 'Accepted' }));
    const about = async (id: string) => {
      const doc = { decide: 'So?', items: [] };
      const parts = { reason: 'clarification-draft', doc, pending_activity: 'clarifying' };
      ready(await call(lab, 'compose_brief', { task_id: 'B-1', ...parts, decision_ref: { type: 'x', id } }));
    };
    const status = async (id: string) => {
      const found = await lab.api.decision(id);
      return isRejection(found) ? null : found.entry.status;
    };
    await about('D-2');
    await answer(lab, 'deny', 'no');
    expect(await status('D-2')).toBe('Accepted');
    ready(await lab.api.command({ run: 'B-1', command: 'unpark' }));
    ready(await lab.api.supersedeDecision({ id: 'D-1' }));
    await about('D-1');
    await answer(lab, 'accept');
    expect(await status('D-1')).toBe('Superseded');
  });
});
