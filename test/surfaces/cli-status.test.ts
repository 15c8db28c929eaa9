import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { clockTime } from '../../src/surfaces/cli/span.ts';
import { widthOf } from '../../src/surfaces/cli/width.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi, ENDED, gate, rest, run, SPEC_DOC } from '../support/scripted-api.ts';

const WAITING = run({ status: 'waiting', step: { kind: 'gate', gate: 'sp-3aa.g1', name: 'approval' } });
const WORKING = run({ id: 'sp-4bb', status: 'working', phase: 'gen_ready', title: 'Sort mail by sender' });
const HALTED = run({
  id: 'sp-5cc',
  status: 'halted',
  title: 'A very long title that does not fit into a line of eighty columns at all',
  halt: { kind: 'stopped', why: 'stopped by ada', by: 'ada' },
});
const ALL = { runs: [HALTED, WORKING, WAITING], stations: [rest({ gate: gate() })] };

describe('status', () => {
  test('says for each run what waits for whom and the next command, waiting ones first', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL) });
    expect(await terminal.run('status')).toBe(EXIT.done);
    expect(terminal.out()).toMatchInlineSnapshot(`
      "waiting for you  sp-3aa  approval gate  A tool that renames photos by date   3 h
                       baton answer sp-3aa
      working          sp-4bb  gen ready      Sort mail by sender                  3 h
                       baton status sp-4bb
      halted           sp-5cc  spec ready     A very long title that does not fi…  3 h
                       baton resume sp-5cc
      "
    `);
    expect(terminal.opened).toEqual([{ create: false }]);
  });

  test.each([[40], [80], [110]])('fits %i columns', async (columns) => {
    const terminal = createTerminal({ api: createScriptedApi(ALL), columns });
    await terminal.run('status');
    const wide = terminal
      .out()
      .split('\n')
      .filter((line) => widthOf(line) > columns);
    expect(wide).toEqual([]);
  });

  test('the commands stand under each other, however long the times are', async () => {
    const old = { ...HALTED, title: 'An old one', updated_at: '2026-01-01T00:00:00.000Z' };
    const terminal = createTerminal({ api: createScriptedApi({ runs: [old, WORKING] }), columns: 120 });
    await terminal.run('status');
    const at = terminal.out().trimEnd().split('\n');
    const [first, second] = at.map((line) => line.indexOf('baton '));
    expect(at.map((line) => / (\d+ \S+) +baton /.exec(line)?.[1]?.length)).not.toEqual([3, 3]);
    expect([at.length, first]).toEqual([2, second]);
  });

  test('the command to paste answers what is recommended, not what stands first, on every screen', async () => {
    const cautious = gate();
    const brief = { ...cautious.brief, recommend: { text: 'Stop', cede: true } };
    const api = createScriptedApi({ stations: [rest({ gate: { ...cautious, brief } })] });
    for (const words of [['spec', 'A', 'tool'], ['gates'], ['status', 'sp-3aa']]) {
      const terminal = createTerminal({ api });
      await terminal.run(...words);
      expect(terminal.out()).toContain('baton answer sp-3aa.g1 stop\n');
    }
  });

  test('says that a working run nobody drives was interrupted', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ runs: [WORKING], driven: null }) });
    await terminal.run('status');
    expect(terminal.out()).toMatch(/^interrupted {2}sp-4bb/);
    expect(terminal.out()).toContain('baton resume sp-4bb');
  });

  test('says so in the block of the run and in the list too, with no clock that runs', async () => {
    const api = createScriptedApi({ run: WORKING, driven: null, stations: [rest({ status: 'working' })] });
    const block = createTerminal({ api });
    await block.run('status', 'sp-4bb');
    expect(block.out()).toContain('status         interrupted (3 h)');
    expect(block.out()).toContain('risk auditor   interrupted (try 2)');
    expect(block.out()).toContain('next           baton resume sp-4bb');
    const list = createTerminal({ api });
    await list.run('list');
    expect(list.out()).toMatch(/^sp-4bb {2}interrupted /);
    const json = createTerminal({ api });
    await json.run('status', '--json');
    expect(JSON.parse(json.out()).working[0].calls).toEqual([
      { role: 'risk_auditor', state: 'interrupted', seconds: null, asleep_until: null },
    ]);
  });

  test('says until when a run sleeps by itself, on every screen and for machines', async () => {
    const asleep_until = '2026-11-15T14:05:00.000Z';
    const time = clockTime(asleep_until, Date.parse('2026-11-15T13:00:00.000Z'));
    const asleep = { agent: 'claude', why: 'limited', asleep_until } as const;
    const api = createScriptedApi({ run: WORKING, asleep, stations: [rest({ status: 'working' })] });
    const screen = async (...args: string[]) => {
      const terminal = createTerminal({ api });
      await terminal.run(...args);
      return terminal.out();
    };
    expect(await screen('status')).toMatch(new RegExp(`^asleep until ${time} {2}sp-4bb`));
    expect(await screen('status', 'sp-4bb')).toContain(
      `risk auditor   limited by claude until ${time}, then continues by itself (try 2)`,
    );
    expect(await screen('list')).toContain(`asleep until ${time}`);
    expect(await screen('log', 'sp-4bb')).toContain(`risk auditor: limited by claude until ${time}`);
    const json = async (...args: string[]) => JSON.parse(await screen(...args, '--json'));
    expect((await json('status')).working[0]).toMatchObject({ asleep_until, calls: [{ state: 'asleep' }] });
    expect(await json('status', 'sp-4bb')).toMatchObject({ asleep_until });
    expect(await json('list')).toMatchObject([{ asleep_until }]);
    expect(await json('log', 'sp-4bb')).toMatchObject({ type: 'asleep', role: 'risk_auditor', ...asleep });
  });

  test('a run that a living process drives is only to be looked at', async () => {
    const api = createScriptedApi({ run: WORKING, stations: [rest({ status: 'working' })] });
    const block = createTerminal({ api });
    await block.run('status', 'sp-4bb');
    expect(block.out()).toContain('next           baton status sp-4bb');
    expect(block.out()).not.toContain('baton resume');
  });

  test('a stopped run lists all that moves it in its block', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ run: HALTED }) });
    await terminal.run('status', 'sp-5cc');
    expect(terminal.out()).toContain('next           baton resume sp-5cc\n');
    expect(terminal.out()).toContain('start over     baton resume sp-5cc --restart\n');
    expect(terminal.out()).toContain('give it up     baton resume sp-5cc --abandon\n');
  });

  test('an ended run says how it ended, in its block and in the list', async () => {
    const step = { kind: 'end', outcome: { result: 'abandoned' } } as const;
    const api = createScriptedApi({ run: run({ status: 'ended', step }), stations: [ENDED] });
    const block = createTerminal({ api });
    await block.run('status', 'sp-3aa');
    expect(block.out()).toContain('status         ended: abandoned (3 h)');
    const list = createTerminal({ api });
    await list.run('list', '--all');
    expect(list.out()).toMatch(/^sp-3aa {2}ended: abandoned {2}3 h/);
    const json = createTerminal({ api });
    await json.run('list', '--all', '--json');
    expect(JSON.parse(json.out())).toMatchObject([{ run: 'sp-3aa', outcome: 'abandoned' }]);
  });

  test('speaks Korean where the environment does', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL), env: { LANG: 'ko_KR.UTF-8' } });
    await terminal.run('status');
    expect(terminal.out()).toContain('답변 대기  sp-3aa  approval 게이트');
    expect(terminal.out()).not.toMatch(/\d+ (?:s|min|h|d)\b/);
  });

  test('without a store says how to start and is no error', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('status')).toBe(EXIT.done);
    expect(terminal.out()).toBe(
      'Nothing has been started here yet.\n  start with   baton spec "what you want"\n',
    );
  });

  test('gives machines one object with the four lists', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL) });
    await terminal.run('status', '--json');
    const { waiting, working, sleeping, halted } = JSON.parse(terminal.out());
    expect(waiting).toEqual([
      {
        run: 'sp-3aa',
        gate: 'sp-3aa.g1',
        name: 'approval',
        class: 'decision',
        title: 'A tool that renames photos by date',
        since: '2026-11-15T10:00:00.000Z',
        command: 'baton answer sp-3aa',
      },
    ]);
    expect(working).toMatchObject([
      {
        run: 'sp-4bb',
        phase: 'gen_ready',
        step: 'query',
        calls: [{ role: 'risk_auditor', state: 'retry', seconds: 40 }],
      },
    ]);
    expect(sleeping).toEqual([]);
    expect(halted).toMatchObject([
      { run: 'sp-5cc', halt: { kind: 'stopped' }, command: 'baton resume sp-5cc' },
    ]);
  });

  test('of one run shows its block, its cost and the exact next command', async () => {
    const terminal = createTerminal({
      api: createScriptedApi({ run: WAITING, stations: [rest({ gate: gate() })] }),
    });
    expect(await terminal.run('status', 'sp-3')).toBe(EXIT.done);
    expect(terminal.out()).toMatchInlineSnapshot(`
      "run sp-3aa  A tool that renames photos by date
        mode           quick
        status         waiting for you (3 h)
        risk auditor   … 0:40 (try 2)
        spent          $1.50, 12 tokens, 1.5 min of work, 2 tries
        next           baton answer sp-3aa.g1 approve
      "
    `);
  });
});

describe('list, gates, log and show', () => {
  test('list prints one line per run that fits the screen', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL) });
    expect(await terminal.run('list')).toBe(EXIT.done);
    const lines = terminal.out().trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80);
  });

  test('list without live runs says how many ended and where they are', async () => {
    const api = createScriptedApi({ run: run({ status: 'ended' }) });
    const { as } = api;
    api.as = (caller) => {
      const bound = as(caller);
      return { ...bound, list: async (ended) => (ended ? bound.list(true) : []) };
    };
    const terminal = createTerminal({ api });
    await terminal.run('list');
    expect(terminal.out()).toContain('1 ended: baton list --all');
  });

  test('gates prints the question, the options and the command that answers it', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL) });
    await terminal.run('gates');
    expect(terminal.out()).toContain('DECIDE: Build this?');
    expect(terminal.out()).toContain('  2  Modify   modify leads here');
    expect(terminal.out().trimEnd().split('\n').at(-1)).toBe('baton answer sp-3aa.g1 approve');
  });

  test('gates gives machines the gate objects with the rendered brief as text', async () => {
    const terminal = createTerminal({ api: createScriptedApi(ALL) });
    await terminal.run('gates', '--json');
    expect(JSON.parse(terminal.out())).toMatchObject([
      {
        id: 'sp-3aa.g1',
        name: 'approval',
        options: { approve: {} },
        draft: {},
        text: 'DECIDE: Build this?',
        rendered: {
          title: 'Approval',
          options: { approve: { label: 'Approve', description: 'approve leads here' } },
        },
      },
    ]);
  });

  test('show prints a document as it is stored, and refuses one that is not there with the list', async () => {
    const api = createScriptedApi({ artefacts: [SPEC_DOC] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('show', 'sp-3aa', 'spec')).toBe(EXIT.done);
    expect(terminal.out()).toBe('# Spec\n\nGoal.\n');
    expect(await terminal.run('show', 'sp-3aa', 'nope')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('allowed: spec');
  });

  test('show finds a document by the last part of its name where only one ends so', async () => {
    const own = { ...SPEC_DOC, name: 'deliver_spec', file: 'deliver_spec.md' };
    const [terminal, unsure] = [
      createTerminal({ api: createScriptedApi({ artefacts: [own] }) }),
      createTerminal({ api: createScriptedApi({ artefacts: [own, { ...own, name: 'other_spec' }] }) }),
    ];
    expect(await terminal.run('show', 'sp-3aa', 'spec')).toBe(EXIT.done);
    expect(terminal.out()).toBe('# Spec\n\nGoal.\n');
    expect(await unsure.run('show', 'sp-3aa', 'spec')).toBe(EXIT.refused);
    expect(unsure.err()).toContain('allowed: deliver_spec, other_spec');
  });

  test("show makes a worker's result readable; machines and JSON documents keep it as it is stored", async () => {
    const text = '{"criteria":[{"id":"AC-1","met":"YES"}],"summary":"It does."}';
    const evaluation = { ...SPEC_DOC, name: 'evaluation', file: 'evaluation', text };
    const stored = { ...evaluation, name: 'evidence_json', file: 'evidence.json' };
    const api = createScriptedApi({ artefacts: [evaluation, stored] });
    const show = async (...argv: string[]) => {
      const terminal = createTerminal({ api });
      await terminal.run('show', 'sp-3aa', ...argv);
      return terminal.out();
    };
    expect(await show('evaluation')).toBe('criteria:\n  - id: AC-1\n    met: YES\nsummary: It does.\n');
    expect(JSON.parse(await show('evaluation', '--json')).text).toBe(text);
    expect(await show('evidence_json')).toBe(`${text}\n`);
  });
});

test('deliver without words tells a program of each live run what status tells of it', async () => {
  const one = run({ id: 'de-1aa', workflow: 'deliver', status: 'halted' });
  const api = createScriptedApi({ runs: [one], run: one });
  const [bare, named] = [createTerminal({ api }), createTerminal({ api })];
  expect(await bare.run('deliver', '--json')).toBe(EXIT.done);
  expect(await named.run('status', 'de-1aa', '--json')).toBe(EXIT.done);
  expect(bare.out()).toBe(named.out());
  expect(JSON.parse(bare.out())).toMatchObject({ id: 'de-1aa', command: 'baton resume de-1aa' });
});
