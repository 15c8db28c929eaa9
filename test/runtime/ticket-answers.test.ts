import { describe, expect, test } from 'vitest';
import { BriefDoc } from '../../src/contract/brief.ts';
import { renderBrief } from '../../src/engine/brief.ts';
import { apply } from '../../src/runtime/apply.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { openGate, script } from '../scenario/quick-lab.ts';
import { WORKER } from '../support/caller.ts';
import { decomposed, designed } from '../support/conduct-script.ts';
import { reopened, told } from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { CLI, call, conduct, create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();
const asked = { ...decomposed([]), brief: null, decision: null, gap: null, questions: ['Which dates?'] };
const { children: _, ...questions } = asked;
const clarify = [{ result: { ...questions, criteria: [], labels: [], deliverable: false } }];

/** How often each role was called, in order. */
const rolesCalled = (lab: Lab) =>
  lab.progress.flatMap((one) => (one.type === 'call' && one.state === 'started' ? [one.role] : []));

async function unattended(lab: Lab, id: string) {
  const handle = await reopened(lab, id, 'unattended');
  await lab.api.command({ run: id, command: 'conduct' });
  return { handle, rest: await handle.advance() };
}

describe('a reshape', () => {
  test('CON-75 is redrafted once, however often the engine looks; the state is the same and the ball comes back', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const before = await stateOf(lab, 'B-1');
    await lab.answer(await openGate(lab, 'B-1'), 'reshape', { text: 'name the formats' });
    expect(await lab.api.ticket('B-1')).toMatchObject({
      workflow_state: 'Idea',
      awaiting_human_input: false,
      pending_resolution: { command: 'iterate', detail: 'name the formats' },
      active_brief_iteration: 1,
    });
    expect((await stateOf(lab, 'B-1')).brief?.doc).toEqual(before.brief?.doc);
    for (let poll = 0; poll < 3; poll++) {
      const handle = await reopened(lab, 'B-1', 'unattended');
      await handle.advance();
      await handle.close();
    }
    expect(rolesCalled(lab)).toEqual(['clarify', 'clarify']);
    expect(await lab.api.ticket('B-1')).toMatchObject({
      workflow_state: 'Idea',
      awaiting_human_input: true,
      pending_resolution: null,
      active_brief_iteration: 2,
    });
  });

  test('CON-108 is what bare text means: "looks good" accepts nothing; without text it is refused and the gate stays', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const gate = await openGate(lab, 'B-1');
    expect(Object.keys(gate.options)).toEqual(['accept', 'reshape', 'edit', 'deny']);
    const before = await whole(lab);
    for (const typed of [['reshape'], ['reshape', '--text', '  ']]) {
      const refused = await say(lab, {}, 'answer', 'B-1', ...typed);
      expect([typed, refused.exit]).not.toEqual([typed, EXIT.done]);
    }
    expect(await whole(lab)).toEqual(before);
    expect(await openGate(lab, 'B-1')).toEqual(gate);
    await say(lab, {}, 'answer', 'B-1', 'looks good');
    expect(rolesCalled(lab)).toEqual(['clarify', 'clarify']);
    expect(await stateOf(lab, 'B-1')).toMatchObject({ phase: 'Idea', brief: { iteration: 2 } });
  });

  test('CON-110 of a floored design comes back to the person although the floor is gone; then plan is delegated', async () => {
    const risky = designed({ why: ['It needs a migration.'] });
    const design = [{ result: risky }, { result: designed() }];
    const lab = await open({}, { script: script({ design }) });
    await create(lab, 'Rename photos');
    const { handle, rest } = await unattended(lab, 'B-1');
    expect(rest).toMatchObject({ phase: 'Decomposed', pause: { cause: 'risk-floor' } });
    await lab.answer(gateOf(rest), 'reshape', { text: 'do without' });
    const again = await handle.advance();
    expect(again).toMatchObject({ phase: 'Decomposed', pause: { cause: 'revised', classes: [] } });
    expect(await lab.api.ticket('B-1')).toMatchObject({ risk_classes: [] });
    await lab.answer(gateOf(again), 'accept');
    await handle.advance();
    await handle.close();
    expect((await told(lab, 'B-1', 'auto_accepted')).map(({ name }) => name)).toContain('plan');
  });
});

describe('questions', () => {
  test('CON-100 an unattended drive at an open round makes no move, and the row says what it waits for', async () => {
    const lab = await open({}, { script: script({ clarify }) });
    await create(lab, 'Rename photos');
    const { handle, rest } = await unattended(lab, 'B-1');
    expect(rest).toMatchObject({ gate: { name: 'round' }, pause: { cause: 'question' } });
    expect(await lab.api.ticket('B-1')).toMatchObject({
      awaiting_human_reason: 'elicitation-round',
      awaiting_human_ref: { type: 'round', id: 'B-1.r1' },
      active_round: { id: 'B-1.r1', questions: [{ text: 'Which dates?' }] },
    });
    const before = await whole(lab);
    for (let query = 0; query < 3; query++) await handle.advance();
    await handle.close();
    for (const mode of ['escalate', 'partial:verify']) {
      const other = await reopened(lab, 'B-1', mode);
      await other.advance();
      await other.close();
    }
    expect((await whole(lab)).rows[0]?.state).toEqual(before.rows[0]?.state);
    expect(await told(lab, 'B-1', 'auto_accepted', 'gate_answered')).toEqual([]);
    expect(rolesCalled(lab)).toEqual(['clarify']);
  });
});

describe('a parent whose children are verified', () => {
  const resolve = (lab: Lab, more: object = {}) =>
    lab.api.as(CLI).operate('resolve_brief', {
      ...{ task_id: 'B-1', brief_id: null, iteration: null, command: 'accept', provenance: 'human:cli' },
      ...{ typed: 'B-1', ...more },
    });

  test('CON-79 is accepted on its marker without a brief; deferring it, or any other ticket without a brief, is not', async () => {
    const lab = await open({}, { script: script({ decompose: [{ result: decomposed(['a']) }] }) });
    await create(lab, 'Rename photos');
    const { handle } = await unattended(lab, 'B-1');
    await handle.close();
    expect(await resolve(lab)).toMatchObject({ message: { msg: 'conduct.no_brief' } });
    const data = { key: 'a', id: 'B-2', title: 'Part a', state: 'Verified', archived: false };
    const at = lab.deps.clock.now();
    const signal = { type: 'message', from: 'B-2', name: 'child', data, at } as const;
    await apply(lab.deps, 'B-1', { input: () => ({ kind: 'signal', signal, inbox: null }) });
    expect(await lab.api.ticket('B-1')).toMatchObject({
      workflow_state: 'Released',
      awaiting_human_ref: { kind: 'umbrella-auto-verify' },
    });
    expect(await call(lab, 'get_brief', { task_id: 'B-1' })).toBeNull();
    const before = await whole(lab);
    expect(await resolve(lab, { command: 'defer' })).toMatchObject({ rejection: 'no_such_option' });
    expect(await resolve(lab, { brief_id: 'B-1.b2', iteration: 1 })).toMatchObject({ idempotent: true });
    expect(await whole(lab)).toEqual(before);
    expect(await resolve(lab)).toMatchObject({ to: 'Verified', provenance: 'human:cli' });
  });
});

describe('a brief', () => {
  test('CON INV-16 what is shown is the document rendered with its decision, at every draft', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const t = await lab.api.translator('en');
    for (const [option, text] of [
      [null, ''],
      ['edit', JSON.stringify({ why: ['A person says so.'] })],
      ['reshape', 'shorter'],
    ] as const) {
      if (option !== null) {
        await lab.answer(await openGate(lab, 'B-1'), option, { text });
        await conduct(lab, 'B-1');
      }
      const row = await call<{ content: string; doc: unknown; decision_ref: never }>(lab, 'get_brief', {
        task_id: 'B-1',
      });
      const decisionRef = row.decision_ref;
      expect(decisionRef).not.toBeNull();
      expect(row.content).toBe(renderBrief(BriefDoc.parse(row.doc), t, { decisionRef }));
      expect((await openGate(lab, 'B-1')).brief).toEqual(row.doc);
    }
    expect((await stateOf(lab, 'B-1')).brief?.iteration).toBe(3);
  });

  test('CON-113 of a design names its track in the pause, the queue, the audit line and the overview', async () => {
    const both = { ...designed(), tracks: ['product', 'technical'] };
    const risky = { ...designed({ why: ['It needs a migration.'] }), tracks: ['technical'] };
    const lab = await open({}, { script: script({ design: [{ result: both }, { result: risky }] }) });
    await create(lab, 'Rename photos');
    const { out } = await say(lab, {}, 'conduct', 'B-1', '--unattended');
    const text = out.replace(/\s+/g, ' ');
    expect(text).toContain('design (product track) accepted for you (--unattended)');
    expect(text).toContain('B-1 waits for you at the design gate, technical track.');
    expect(await told(lab, 'B-1', 'auto_accepted')).toMatchObject([
      { name: 'clarify' },
      { name: 'decompose' },
      { name: 'design', part: 'product' },
    ]);
    expect(await lab.api.queue()).toMatchObject({
      groups: [{ reason: 'design-decision-draft', tickets: [{ id: 'B-1', track: 'technical' }] }],
    });
    const overview = lab.progress.findLast((one) => one.type === 'overview');
    expect(overview).toMatchObject({
      lines: expect.arrayContaining([
        expect.objectContaining({
          phase: 'design',
          badges: expect.arrayContaining([{ msg: 'conduct.overview.track', args: { track: 'technical' } }]),
        }),
      ]),
    });
    expect((await say(lab, {}, 'queue')).out).toContain('technical');
  });
});

describe('a worker', () => {
  test('CON-105 cannot park or cancel, by no operation and no command', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const refused = await WORKER.person(null);
    for (const activity of ['parking', 'cancelling']) {
      for (const caller of [WORKER, CLI])
        expect(
          await lab.api.as(caller).operate('advance_workflow', { task_id: 'B-1', activity }),
        ).toMatchObject({ rejection: expect.stringMatching(/not_a_person|wrong_moment/) });
    }
    for (const typed of [
      ['ticket', 'park', 'B-1', '--why', 'x'],
      ['ticket', 'cancel', 'B-1', '--why', 'x'],
      ['answer', 'B-1', 'deny'],
    ])
      expect([
        typed,
        (await say(lab, { refused: refused as never, person: refused as never }, ...typed)).exit,
      ]).toEqual([typed, EXIT.refused]);
    expect((await stateOf(lab, 'B-1')).phase).toBe('Idea');
    await say(lab, {}, 'ticket', 'park', 'B-1', '--why', 'x');
    expect((await stateOf(lab, 'B-1')).phase).toBe('Parked');
  });
});

test('CON-104 CON-115 an answer that ends the run tells where the run began and how it ended', async () => {
  const done = { ...designed(), tracks: ['technical'] };
  const lab = await open({}, { script: script({ design: [{ result: done }] }) });
  await create(lab, 'Rename photos', { labels: ['decision-only'] });
  await conduct(lab, 'B-1');
  await lab.answer(await openGate(lab, 'B-1'), 'accept');
  expect((await stateOf(lab, 'B-1')).phase).toBe('Clarified');
  await say(lab, {}, 'conduct', 'B-1', '--unattended');
  expect((await stateOf(lab, 'B-1')).brief).toMatchObject({ deliverable: true });
  const ended = await say(lab, {}, 'answer', 'B-1', 'accept', '--typed', 'B-1');
  expect(ended.exit).toBe(EXIT.done);
  expect(ended.out.replace(/\s+/g, ' ')).toContain('B-1 is Verified. This run began at Clarified.');
  await create(lab, 'Two');
  await say(lab, {}, 'conduct', 'B-2');
  const parked = (await say(lab, {}, 'answer', 'B-2', 'deny', '--text', 'not this year')).out.replace(
    /\s+/g,
    ' ',
  );
  expect(parked).toContain('B-2 is Parked; it stood at Idea. This run began at Captured.');
  expect(parked).toContain('Reason: not this year');
});
