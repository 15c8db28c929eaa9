import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { createTerminal, type TerminalOptions } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';
import { withTickets } from '../support/probe.ts';

const labs = labsOfTest();
const open = () => labs.open({ wrap: withTickets() });

const NO_ONE = reject('not_a_person', { reason: 'there is no terminal here' });

/** Runs one command on the lab's store and gives what it said. */
async function say(lab: Lab, options: TerminalOptions, ...argv: string[]) {
  const terminal = createTerminal({ ...options, api: { ...lab.api, close: async () => undefined } });
  const exit = await terminal.run(...argv);
  return { exit, out: terminal.out(), err: terminal.err().replace(/\s+/g, ' ') };
}

const record = (lab: Lab, title: string, ...more: string[]) =>
  say(lab, {}, 'decisions', 'record', title, '--type', 'architecture', ...more);

describe('baton decisions', () => {
  test('lists, filters and finds', async () => {
    const lab = await open();
    await record(lab, 'One SQLite file', '--domain', 'data', '--status', 'Accepted', '--body', 'No server.');
    await record(lab, 'Names of branches', '--domain', 'process', '--domain', 'engineering');
    const all = await say(lab, {}, 'decisions');
    expect(all.out).toBe(
      'D-2  Asserted  architecture  Names of branches\nD-1  Accepted  architecture  One SQLite file\n',
    );
    for (const filter of [
      ['--domain', 'data'],
      ['--status', 'Accepted'],
      ['--search', 'server'],
      ['--domain', 'data', '--domain', 'customer', '--type', 'architecture', '--search', 'sqlite'],
    ])
      expect((await say(lab, {}, 'decisions', 'list', ...filter)).out).toMatch(/^D-1 .*\n$/);
    expect((await say(lab, {}, 'decisions', '--limit', '1')).out).toMatch(/^D-2 .*\n$/);
    expect((await say(lab, {}, 'decisions', '--type', 'business')).out).toBe('No decision here.\n');
    const json = await say(lab, {}, 'decisions', '--search', 'branches', '--json');
    expect(JSON.parse(json.out)).toMatchObject([{ id: 'D-2', domains: ['process', 'engineering'] }]);
  });

  test('records what is typed and shows all of it', async () => {
    const lab = await open();
    const more = ['--body', 'Because.\nReally.', '--review-by', '2026-12-31', '--source', 'adr'];
    const done = await say(lab, {}, 'decisions', 'record', 'One', 'file', '--type', 'business', ...more);
    expect(done).toMatchObject({ exit: EXIT.done, out: 'recorded D-1  One file\n' });
    const shown = (await say(lab, {}, 'decisions', 'show', 'D-1')).out;
    expect(shown).toContain('D-1  One file\n');
    for (const line of [
      /type +business/,
      /status +Asserted/,
      /source +adr/,
      /review by +2026-12-31/,
      /, Ada$/m,
    ])
      expect(shown).toMatch(line);
    expect(shown).toContain('\nBecause.\nReally.\n');
    expect(JSON.parse((await say(lab, {}, 'decisions', 'show', 'D-1', '--json')).out)).toMatchObject({
      id: 'D-1',
      recorded_by: 'Ada',
      supersedes: [],
      tickets: [],
    });
    const ko = await say(lab, { env: { LANG: 'ko_KR.UTF-8' } }, 'decisions', 'show', 'D-1');
    expect(ko.out).toContain('다시 볼 날');
  });

  test('supersedes with a successor, without one, and never with half of one', async () => {
    const lab = await open();
    await (await lab.start('conduct', { script: [{ do: 'gate', name: 'ask' }] })).advance();
    await record(lab, 'One file');
    const linked = await say(lab, {}, 'decisions', 'link', 'b-1', 'D-1');
    expect(linked.out).toBe('Tickets that depend on D-1: B-1\n');
    expect((await say(lab, {}, 'decisions', '--ticket', '1')).out).toMatch(/^D-1 /);
    for (const half of [
      ['Two', 'files'],
      ['--type', 'business'],
    ]) {
      const refused = await say(lab, {}, 'decisions', 'supersede', 'D-1', ...half);
      expect(refused.exit).toBe(EXIT.usage);
      expect(refused.err).toContain('Give type and title together');
    }
    const done = await say(lab, {}, 'decisions', 'supersede', 'D-1', 'Two', 'files', '--type', 'business');
    expect(done.out).toBe('D-2 supersedes D-1.\nThese tickets depend on it and were notified: B-1\n');
    expect((await lab.row('B-1')).state.fact).toMatchObject({ id: 'D-1', superseded_by: 'D-2' });
    const retired = await say(lab, {}, 'decisions', 'supersede', 'D-2', '--json');
    expect(JSON.parse(retired.out)).toMatchObject({ ok: true, decision: { id: 'D-2' }, successor: null });
    expect((await say(lab, {}, 'decisions', 'supersede', 'D-9')).exit).toBe(EXIT.refused);
    expect((await say(lab, {}, 'decisions', 'link', '7', 'D-1')).exit).toBe(EXIT.refused);
  });

  test.each([
    [['lst'], 'did you mean "list"?'],
    [['show'], 'usage: baton decisions show <id>'],
    [['show', 'D-1', 'D-2'], 'too many words'],
    [['record', 'x'], '--type: is needed here. allowed: product-design,'],
    [['record', 'x', '--type', 'law'], '--type law: not allowed. allowed: product-design,'],
    [
      ['record', 'x', '--type', 'business', '--search', 'y'],
      '--search: not an option of baton decisions record',
    ],
    [['--domain', 'data', '--domain', 'law'], '--domain law: not allowed. allowed: engineering, operations'],
    [['--status', 'accepted'], 'did you mean "Accepted"?'],
    [['--body', 'x'], '--body: not an option of baton decisions list'],
    [['--limit', '0'], '--limit 0: not a whole number'],
    [['--ticket', 'B-1', '--type', 'business'], '--type --ticket: give only one of them'],
    [['link', 'B-1'], 'usage: baton decisions link <ticket> <id>'],
  ])('refuses %j and says what is allowed', async (argv, said) => {
    const lab = await open();
    const { exit, err } = await say(lab, {}, 'decisions', ...argv);
    expect([exit, err]).toEqual([EXIT.usage, expect.stringContaining(said)]);
  });

  test('what the ledger itself refuses is told with its option', async () => {
    const lab = await open();
    await record(lab, 'One file');
    const taken = await record(lab, 'One file');
    expect(taken).toMatchObject({ exit: EXIT.refused, err: expect.stringContaining('D-1 has the title') });
    const date = await record(lab, 'x', '--review-by', 'soon');
    expect(date).toMatchObject({ exit: EXIT.usage, err: expect.stringContaining('--review-by "soon"') });
    expect((await record(lab, '  ')).err).toContain('title "');
    expect((await say(lab, {}, 'decisions', '--limit', '400')).err).toContain(
      '--limit "400": must be at most 200',
    );
    expect(await lab.api.decisions({})).toHaveLength(1);
  });

  test.each([[['record', 'x', '--type', 'business']], [['supersede', 'D-1']], [['link', 'B-1', 'D-1']]])(
    'writes nothing for whoever is not a person: %j',
    async (argv) => {
      const lab = await open();
      await record(lab, 'One file');
      const { exit, err } = await say(lab, { person: NO_ONE }, 'decisions', ...argv);
      expect([exit, err]).toEqual([EXIT.refused, expect.stringContaining('Only a person decides this')]);
      expect(await lab.api.decisions({})).toMatchObject([{ id: 'D-1', status: 'Asserted' }]);
    },
  );

  test('without a store there is nothing to show, and only recording makes one', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('decisions')).toBe(EXIT.done);
    expect(await terminal.run('decisions', 'show', 'D-1')).toBe(EXIT.refused);
    expect(await terminal.run('decisions', 'supersede', 'D-1')).toBe(EXIT.refused);
    expect(await terminal.run('decisions', 'link', 'B-1', 'D-1')).toBe(EXIT.refused);
    expect(terminal.err().match(/There is no decision "D-1" here/g)).toHaveLength(3);
    await terminal.run('decisions', 'record', 'x', '--type', 'business');
    expect(terminal.opened.map(({ create }) => create)).toEqual([false, false, false, false, true]);
  });
});

describe('baton trust', () => {
  test('shows the level, what each means, and every change', async () => {
    const lab = await open();
    expect((await say(lab, {}, 'trust')).out).toMatch(/^trust: balanced\n {2}cautious +every gate waits/);
    const set = await say(lab, {}, 'trust', 'cautious');
    expect(set.out).toContain('trust: cautious (was balanced)\n');
    expect(set.out).toContain('  allow them again   baton trust balanced\n');
    expect((await say(lab, {}, 'trust', 'cautious')).out).toContain('trust: cautious, as before.');
    expect((await say(lab, {}, 'trust')).out).toMatch(
      /changes:\n {2}\S+ \S+ {3}- -> cautious {3}Ada \(cli\)\n$/,
    );
    const json = JSON.parse((await say(lab, {}, 'trust', '--json')).out);
    expect(json).toMatchObject({ ok: true, level: 'cautious', raw: 'cautious', changes: [{ who: 'Ada' }] });
    const ko = await say(lab, { env: { LANG: 'ko_KR.UTF-8' } }, 'trust', 'autonomous');
    expect(ko.out).toBe('신뢰 수준: autonomous (이전: cautious)\n');
  });

  test('says that a word nobody knows counts as cautious', async () => {
    const lab = await open();
    const at = lab.deps.clock.now();
    await lab.deps.store.changeSetting({ name: 'agent_trust.level', to: 'wild', who: 'x', surface: 'y', at });
    expect((await say(lab, {}, 'trust')).out).toContain('The stored level "wild"');
  });

  test.each([
    [['trust', 'full'], 'baton trust full: not allowed. allowed: cautious, balanced, autonomous'],
    [['trust', 'Cautious'], 'did you mean "cautious"?'],
    [['project', 'auto'], 'baton project auto: not allowed. allowed: opinionated, manual'],
  ])('%j is a usage error before anything is opened', async (argv, said) => {
    const terminal = createTerminal({ person: NO_ONE });
    expect(await terminal.run(...argv)).toBe(EXIT.usage);
    expect(terminal.err().replace(/\s+/g, ' ')).toContain(said);
    expect(terminal.opened).toEqual([]);
  });

  test.each(['trust autonomous', 'project manual'])('%s needs a person', async (command) => {
    const lab = await open();
    const { exit, err } = await say(lab, { person: NO_ONE }, ...command.split(' '));
    expect([exit, err]).toEqual([EXIT.refused, expect.stringContaining('Only a person decides this')]);
    expect(await lab.api.settingChanges('trust')).toEqual([]);
    expect(await lab.api.settingChanges('mode')).toEqual([]);
  });
});

describe('baton project', () => {
  test('shows mode, key and trust, and sets the mode', async () => {
    const lab = await open();
    expect((await say(lab, {}, 'project', 'manual')).out).toBe('project: manual (was opinionated)\n');
    const { out } = await say(lab, {}, 'project');
    expect(out).toMatch(/^project: manual\n/);
    expect(out).toMatch(/ticket key +B {3}\(B-1, B-2, \.\.\.\)/);
    expect(out).toMatch(/trust +balanced/);
    expect(JSON.parse((await say(lab, {}, 'project', '--json')).out)).toMatchObject({
      mode: 'manual',
      key: 'B',
      agent_trust: { level: 'balanced', overrides: {} },
      changes: [{ from: null, to: 'manual', who: 'Ada', surface: 'cli' }],
    });
  });

  test('without a store shows the defaults and makes none', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('project')).toBe(EXIT.done);
    expect(await terminal.run('trust')).toBe(EXIT.done);
    expect(terminal.out()).toContain('project: opinionated');
    expect(terminal.out()).toContain('trust: balanced');
    expect(terminal.opened.map(({ create }) => create)).toEqual([false, false]);
  });
});
