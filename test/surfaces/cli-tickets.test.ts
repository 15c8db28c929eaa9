import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { conduct, create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();
const KO = { env: { LANG: 'ko_KR.UTF-8' } };
const WORKER = reject('not_a_person', { call_id: 'B-1/1', reason: 'started by a worker' });
const NO_ONE = reject('not_a_person', { reason: 'there is no terminal here' });

const json = async (lab: Lab, ...argv: string[]) => JSON.parse((await say(lab, {}, ...argv, '--json')).out);

describe('baton ticket', () => {
  test('makes tickets, lists and shows them, and says what comes next', async () => {
    const lab = await open();
    const empty = await say(lab, {}, 'ticket');
    expect(empty.out).toContain('baton ticket create');
    const made = await say(lab, {}, 'ticket', 'create', 'Rename', 'photos', '--label', 'a', '--label', 'b');
    expect(made).toMatchObject({ exit: EXIT.done });
    expect(made.out).toBe('created B-1  Rename photos\n  state   Captured\n  next    baton conduct B-1\n');
    const more = ['--priority', 'high', '--description', 'Drop table photos.', '--json'];
    const second = JSON.parse((await say(lab, {}, 'ticket', 'create', 'Clean up', ...more)).out);
    expect(second).toMatchObject({
      ok: true,
      ticket: { id: 'B-2', risk_classes: ['irreversible-destructive'] },
      next: 'baton conduct B-2',
    });
    expect((await say(lab, {}, 'ticket', 'list')).out).toBe(
      'B-1  Captured  medium  Rename photos\nB-2  Captured  high    Clean up\n',
    );
    expect((await say(lab, {}, 'ticket', '--label', 'b', '--state', 'Captured')).out).toMatch(/^B-1 .*\n$/);
    expect((await say(lab, {}, 'ticket', '--limit', '1')).out).toMatch(/^B-1 .*\n$/);
    const shown = (await say(lab, {}, 'ticket', 'show', '2')).out;
    for (const part of ['B-2  Clean up', /priority +high/, /risk classes +irrev/, 'Drop table photos.'])
      expect(shown).toMatch(part);
    expect((await say(lab, KO, 'ticket', 'show', 'b-1')).out).toMatch(/상태 +Captured/);
  });

  test('shows the brief that waits, and next is to answer it', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const shown = (await say(lab, {}, 'ticket', 'show', 'B-1')).out;
    expect(shown).toMatch(/waits for you +clarify/);
    expect(shown).toContain('DECIDE:');
    expect(shown).toMatch(/next +baton answer B-1/);
    expect(await json(lab, 'ticket', 'show', 'B-1')).toMatchObject({ id: 'B-1', active_brief_iteration: 1 });
  });

  test('edits, labels and archives', async () => {
    const lab = await open();
    await create(lab, 'Rename photos', { labels: ['old'] });
    await say(lab, {}, 'ticket', 'edit', '1', '--title', 'Name photos', '--priority', 'low');
    await say(lab, {}, 'ticket', 'label', '1', '--add', 'new', '--remove', 'old');
    expect(await stateOf(lab, 'B-1')).toMatchObject({
      title: 'Name photos',
      priority: 'low',
      labels: ['new'],
    });
    await say(lab, {}, 'ticket', 'archive', '1');
    expect(await json(lab, 'ticket')).toEqual([]);
    expect(await json(lab, 'ticket', '--all')).toMatchObject([{ id: 'B-1', archived: true }]);
    await say(lab, {}, 'ticket', 'restore', '1');
    expect(await json(lab, 'ticket')).toMatchObject([{ id: 'B-1' }]);
  });

  test('parks, brings back and cancels on the word of a person', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const parked = await say(lab, {}, 'ticket', 'park', 'B-1', '--why', 'later');
    expect(parked.out).toMatch(/state +Parked\n +next +baton ticket unpark B-1/);
    expect(await stateOf(lab, 'B-1')).toMatchObject({ left: { by: 'Ada', why: 'later' } });
    expect(await say(lab, {}, 'ticket', 'park', 'B-1')).toMatchObject({ exit: EXIT.refused });
    expect((await say(lab, {}, 'ticket', 'unpark', 'B-1')).out).toMatch(/state +Captured/);
    const gone = await say(lab, {}, 'ticket', 'cancel', 'B-1');
    expect(gone.out).toMatch(/state +Cancelled\n$/);
    expect(await json(lab, 'ticket')).toEqual([]);
    expect(await json(lab, 'ticket', '--state', 'Cancelled')).toMatchObject([{ id: 'B-1' }]);
  });

  test('changes criteria, tracks and children', async () => {
    const lab = await open();
    for (const title of ['one', 'two', 'three']) await create(lab, title);
    await say(lab, {}, 'ticket', 'criteria', '1', '--add', 'Photos are named', '--add', 'Videos too');
    await say(lab, {}, 'ticket', 'criteria', '1', '--set', 'AC-1=Photos = named', '--remove', 'AC-2');
    await say(lab, {}, 'ticket', 'tracks', '1', '--required', 'product,technical');
    expect(await stateOf(lab, 'B-1')).toMatchObject({
      criteria: [{ id: 'AC-1', text: 'Photos = named' }],
      tracks: { required: ['product', 'technical'], by_person: true },
    });
    const children = await say(lab, {}, 'ticket', 'children', '1', '--add', '2', '--add', '3');
    expect(children.out).toBe('B-1 has 2 children:\n  B-2  Captured  two\n  B-3  Captured  three\n');
    expect((await say(lab, {}, 'ticket', 'children', '1', '--remove', '2')).out).toContain('1 child');
  });

  test('asks before it goes back, and says which children need a fate', async () => {
    const lab = await open();
    await create(lab, 'one');
    const refused = await say(lab, {}, 'ticket', 'reopen', '1', '--to', 'design', '--why', 'wrong');
    expect(refused).toMatchObject({ exit: EXIT.refused });
    const bad = await say(lab, {}, 'ticket', 'reopen', '1', '--to', 'design', '--why', 'x', '--fate', 'B-3');
    expect(bad).toMatchObject({ exit: EXIT.usage });
    expect(bad.err).toContain('--fate B-3: not of the form B-3=keep, B-3=cancel');
  });

  test('acknowledges a risk with the evidence of the ticket and its brief, where that is allowed', async () => {
    const [lab, off] = [await open({ acknowledge: true }), await open()];
    for (const one of [lab, off]) await create(one, 'A migration');
    const typed = ['ticket', 'acknowledge', '1', '--class', 'data-migration', '--why', 'a word only'];
    expect(await say(lab, {}, ...typed)).toMatchObject({ exit: EXIT.done });
    expect((await stateOf(lab, 'B-1')).acknowledged).toMatchObject([{ class: 'data-migration', by: 'Ada' }]);
    expect((await say(off, {}, ...typed)).err).toContain('conduct.acknowledge: true');
  });

  test.each([
    ['an unknown action', ['craete', 'x'], 'did you mean "create"?'],
    ['a missing ticket', ['show'], 'usage: baton ticket show <ticket>'],
    ['too many words', ['show', '1', '2'], 'usage: baton ticket show <ticket>'],
    ['an option of another action', ['show', '1', '--why', 'x'], '--why: not an option of baton ticket show'],
    ['a missing option', ['reopen', '1', '--to', 'design'], '--why: is needed here'],
    ['an unknown priority', ['create', 'x', '--priority', 'urgent'], 'allowed: high, medium, low'],
    ['an unknown state', ['--state', 'captured'], 'did you mean "Captured"?'],
    ['an unknown gate', ['reopen', '1', '--to', 'desing', '--why', 'x'], 'did you mean "design"?'],
    ['an unknown track', ['tracks', '1', '--required', 'product,x'], 'allowed: product, technical, ux-ui'],
    ['an edit of nothing', ['edit', '1'], 'Say what to change: baton ticket edit'],
    ['a blank title', ['create', ' '], 'title'],
    ['a label with a blank', ['create', 'x', '--label', 'a b'], '--label "a b"'],
    ['a number that is none', ['--limit', '0'], '--limit 0'],
    ['a foreign key', ['show', 'X-1'], 'write B-1.'],
  ])('%s is a mistake that names what is allowed', async (_, typed, told) => {
    const lab = await open();
    const before = await whole(lab);
    const said = await say(lab, {}, 'ticket', ...typed);
    expect(said).toMatchObject({ exit: EXIT.usage });
    expect(said.err).toContain(told);
    expect(await whole(lab)).toEqual(before);
  });

  test('a ticket that is not there is refused, with and without a store', async () => {
    const lab = await open();
    for (const action of ['show', 'park', 'archive', 'children', 'criteria']) {
      const said = await say(lab, {}, 'ticket', action, '9');
      expect(said).toMatchObject({ exit: EXIT.refused });
      expect(said.err).toContain('"9"');
    }
    const bare = createTerminal();
    expect(await bare.run('ticket', 'show', 'B-1')).toBe(EXIT.refused);
    expect(bare.err()).toContain('B-1');
    expect(bare.opened).toEqual([{ create: false }]);
  });

  test('no command that changes a ticket works for a worker', async () => {
    const lab = await open({ acknowledge: true });
    await create(lab, 'A migration', { labels: ['auth'] });
    await create(lab, 'two');
    const before = await stateOf(lab, 'B-1');
    for (const typed of [
      ['create', 'x'],
      ['edit', '1', '--title', 'y'],
      ['label', '1', '--add', 'y'],
      ['label', '1', '--remove', 'auth'],
      ['archive', '1'],
      ['park', '1'],
      ['cancel', '1'],
      ['unpark', '1'],
      ['reopen', '1', '--to', 'design', '--why', 'x'],
      ['children', '1', '--add', '2'],
      ['criteria', '1', '--add', 'x'],
      ['tracks', '1', '--required', 'product'],
      ['acknowledge', '1', '--class', 'data-migration', '--why', 'x'],
    ]) {
      const said = await say(lab, { refused: WORKER, person: WORKER }, 'ticket', ...typed);
      expect([typed, said.exit]).toEqual([typed, EXIT.refused]);
    }
    expect(await stateOf(lab, 'B-1')).toEqual(before);
    expect(await lab.api.tickets({})).toHaveLength(2);
    const tried = (await lab.api.records('B-1')).filter(
      ({ record }) => record.kind === 'notice' && record.text.msg === 'engine.worker_refused',
    );
    expect(tried.length).toBeGreaterThan(10);
  });

  test('what decides needs a person, what does not works in a script', async () => {
    const lab = await open();
    await create(lab, 'one');
    for (const typed of [
      ['park', '1'],
      ['cancel', '1'],
      ['tracks', '1', '--required', 'product'],
    ])
      expect(await say(lab, { person: NO_ONE }, 'ticket', ...typed)).toMatchObject({ exit: EXIT.refused });
    expect(await say(lab, { person: NO_ONE }, 'ticket', 'label', '1', '--add', 'x')).toMatchObject({
      exit: EXIT.done,
    });
    expect(await stateOf(lab, 'B-1')).toMatchObject({ phase: 'Captured', labels: ['x'] });
  });
});

describe('baton queue and next', () => {
  test('show what waits, what is decided and the command, and a captured ticket stays captured', async () => {
    const lab = await open();
    expect((await say(lab, {}, 'queue')).out).toContain('No ticket waits for you.');
    await create(lab, 'one', { priority: 'low' });
    await create(lab, 'two');
    const triage = await say(lab, {}, 'next');
    expect(triage.out).toContain('Is this ticket worth doing?');
    expect(triage.out).toMatch(/take it up +baton conduct B-2\n +or leave it +baton ticket park B-2/);
    expect((await stateOf(lab, 'B-2')).phase).toBe('Captured');
    await conduct(lab, 'B-1');
    const { brief } = await stateOf(lab, 'B-1');
    const queue = (await say(lab, {}, 'queue')).out;
    expect(queue).toContain('clarify: what is wanted\n  B-1  Idea, low  one\n');
    expect(queue.replace(/\s+/g, ' ')).toContain(String(brief?.doc.decide));
    expect((await say(lab, {}, 'next')).out).toMatch(/answer it +baton answer B-1/);
    expect((await say(lab, KO, 'queue')).out).toContain('명확히 하기');
    expect(await json(lab, 'next')).toMatchObject({ ask: 'answer', commands: ['baton answer B-1'] });
    expect(await json(lab, 'queue')).toMatchObject({
      groups: [{ reason: 'clarification-draft' }],
      stale: [],
    });
    expect((await say(lab, {}, 'stats')).out).toContain('shadow_judge');
  });

  test('CON-10 a manual project refuses to conduct, to queue and to list by state, says why, and writes nothing', async () => {
    const lab = await open();
    await create(lab, 'one');
    await lab.api.setProjectMode({ mode: 'manual' });
    const before = await whole(lab);
    for (const typed of [['conduct', 'B-1'], ['queue'], ['next'], ['ticket', '--state', 'Captured']]) {
      const said = await say(lab, {}, ...typed);
      expect([typed, said.exit]).toEqual([typed, EXIT.refused]);
      expect(said.err).toContain('baton project opinionated');
    }
    expect(await say(lab, {}, 'ticket')).toMatchObject({ exit: EXIT.done });
    expect(await whole(lab)).toEqual(before);
  });

  test('CON-01 conduct without a ticket names what is missing and writes nothing', async () => {
    const lab = await open();
    const said = await say(lab, {}, 'conduct');
    expect(said).toMatchObject({ exit: EXIT.usage });
    expect(said.err).toContain('ticket');
    expect(await whole(lab)).toEqual({ rows: [], events: [] });
  });
});

describe('baton call', () => {
  test('takes and gives JSON', async () => {
    const lab = await open();
    const made = await say(lab, {}, 'call', 'create_task', '{"title":"Rename photos"}');
    expect(JSON.parse(made.out)).toMatchObject({ id: 'B-1', workflow_state: 'Captured' });
    expect(await json(lab, 'call', 'get_project')).toMatchObject({ ok: true, result: { key: 'B' } });
  });

  test.each([
    ['no JSON', ['get_task', '{'], 'The input is not JSON'],
    ['an operation nobody knows', ['drop_task'], 'get_task, get_brief'],
    ['a field nobody knows', ['get_project', '{"x":1}'], 'x'],
    ['a missing field', ['get_task', '{}'], 'task_id'],
  ])('refuses %s', async (_, typed, told) => {
    const lab = await open();
    const said = await say(lab, {}, 'call', ...typed);
    expect(said).toMatchObject({ exit: EXIT.usage });
    expect(said.err).toContain(told);
  });

  test('a mistake makes no store', async () => {
    for (const typed of [['drop_task'], ['get_task', '{']]) {
      const bare = createTerminal();
      expect(await bare.run('call', ...typed)).toBe(EXIT.usage);
      expect(bare.opened).toEqual([]);
    }
    const bare = createTerminal();
    expect(await bare.run('call', 'get_task', '{"task_id":"1"}')).toBe(EXIT.refused);
    expect(bare.opened).toEqual([{ create: false }]);
  });

  test('JSON of any depth is refused like any other, and writes nothing', async () => {
    const lab = await open();
    for (const deep of [
      '['.repeat(30_000) + ']'.repeat(30_000),
      `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`,
    ]) {
      const said = await say(lab, {}, 'call', 'create_task', `{"title":"x","description":${deep}}`);
      expect(said).toMatchObject({ exit: EXIT.usage, out: '' });
      expect(said.err).toContain('description');
    }
    expect(await lab.api.list(true)).toEqual([]);
  });

  test('a worker may look and changes nothing', async () => {
    const lab = await open();
    await create(lab, 'one');
    const worker = { refused: WORKER, person: WORKER };
    expect(await say(lab, worker, 'call', 'get_task', '{"task_id":"1"}')).toMatchObject({ exit: EXIT.done });
    const tried = ['call', 'update_task', '{"task_id":"1","title":"x"}'];
    expect(await say(lab, worker, ...tried)).toMatchObject({ exit: EXIT.refused });
    expect((await stateOf(lab, 'B-1')).title).toBe('one');
  });
});
