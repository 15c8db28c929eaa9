import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTerminal } from '../support/fake-terminal.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  changing,
  DOCS,
  deliverState,
  type Ground,
  groundsOfTest,
  SINGLE,
  SMALL,
  TASK,
  told,
  walk,
} from './deliver-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { dispatches, lines, playTo, reopen, rolesCalled } from './quick-lab.ts';

const grounds = groundsOfTest();
const PLAIN = { 'greeting.txt': 'hello\n' };

/** Everything a start could leave behind: rows, files, branches. */
async function traces({ root }: Ground, lab: Lab) {
  const runs = await lab.api.list(true);
  return {
    runs: runs.map(({ id, status }) => [id, status]),
    files: walk(root, (name) => name.startsWith('.git/objects')),
  };
}

describe('the command line', () => {
  test.each([
    ['--mode', 'double', /--mode.*double.*single, standard, multi/s],
    ['--model-config', 'gpt', /gpt.*(default|all-opus|balanced|economy)/s],
    ['--verifier-model', 'gpt', /--verifier-model.*gpt.*haiku, sonnet, opus/s],
    ['--output-dir', '../elsewhere', /--output-dir.*\.\.\/elsewhere|\.\.\/elsewhere.*--output-dir/s],
    ['--scope', ' , ', /scope/],
    ['--scope', 'src/**,../x', /scope.*\.\.\/x|\.\.\/x.*scope/s],
    ['--scope', '/etc/**', /scope/],
    ['--lint-cmd', ' ', /lint/],
    ['--type-check-cmd', '', /type/],
    ['--todo-blocking=maybe', null, /--todo-blocking/],
  ])(
    'WF-12 %s %s is refused with what is allowed, and nothing exists afterwards',
    async (option, value, said) => {
      const ground = grounds.repository(SMALL);
      const lab = await grounds.open(ground);
      const before = await traces(ground, lab);
      const terminal = createTerminal({ api: { ...lab.api, close: async () => undefined } });
      const code = await terminal.run('deliver', TASK, option, ...(value === null ? [] : [value]));
      expect(code).not.toBe(0);
      expect(terminal.err()).toMatch(said);
      expect(await traces(ground, lab)).toEqual(before);
    },
  );
});

test('WF-15 with a live run and no arguments: its status and the next command, row, log and files as before', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground);
  const live = await lab.start('deliver', SINGLE);
  const gate = gateOf(await playTo(lab, live, { conventions: [['skip']] }, 'spec'));
  await live.close();
  const all = async () => ({
    row: await lab.row(live.run),
    log: await lab.deps.store.events(live.run, 0, 1_000),
    ...(await traces(ground, lab)),
  });
  const before = await all();
  const terminal = createTerminal({ api: { ...lab.api, close: async () => undefined } });
  expect(await terminal.run('deliver')).toBe(0);
  for (const said of [live.run, TASK, 'Plan - complete', `baton answer ${gate.id}`])
    expect(terminal.out()).toContain(said);
  expect(await all()).toEqual(before);
});

test('WF-21 killed right after the first checkpoint, the run is listed in setup, and goes on under the same slug', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground);
  const dying = await lab.other(...killAt(2, (label) => label.endsWith(' commit')).parts);
  expect(
    await diesOf(dying.api.start({ workflow: 'deliver', input: { ...SINGLE, mode: null }, ...START })),
  ).toBe(true);
  dying.deps.store.close();
  const [listed] = await lab.api.list(false);
  expect(listed).toMatchObject({ workflow: 'deliver', phase: 'setup' });
  const { slug, docs_path, created_at } = await deliverState(lab, listed?.id ?? '');
  expect({ slug, docs_path }).toEqual({ slug: 'greet-in-capitals', docs_path: `${DOCS}/` });
  const drive = await reopen(lab, listed?.id ?? '');
  const rest = await playTo(lab, drive, { mode: [['single']] }, 'conventions');
  expect(await deliverState(lab, rest.run)).toMatchObject({
    phase: 'plan_ready',
    slug,
    docs_path,
    created_at,
  });
});

const START = {
  agent: null,
  script: null,
  in_place: false,
  unattended: false,
  attended: false,
};

describe('another live run', () => {
  test('WF-25 over a live spec run in the same folder nothing changes until the answer; deleting archives it with its log', async () => {
    const ground = grounds.plain(PLAIN);
    const roles = {
      ...changing(),
      interviewer: [{ result: { questions: [{ text: 'Which?', why: 'it decides' }] } }],
    };
    const lab = await grounds.open(ground, roles);
    const spec = await lab.start('spec', { task: 'Another thing', mode: 'quick' });
    await playTo(lab, spec, { conventions: [['skip']] }, 'questions');
    const before = await traces(ground, lab);
    const row = await lab.row(spec.run);
    const log = await lab.deps.store.events(spec.run, 0, 1_000);
    expect(await lab.refused('deliver', SINGLE, { unattended: true })).toMatchObject({
      message: { msg: 'deliver.conflict_unattended' },
    });
    const cancelled = await lab.start('deliver', SINGLE);
    const asked = gateOf(await cancelled.advance());
    expect(asked).toMatchObject({ name: 'session_conflict', class: 'decision' });
    expect((await traces(ground, lab)).files).toEqual(before.files);
    expect(await lab.row(spec.run)).toEqual(row);
    await lab.answer(asked, 'cancel');
    expect(await cancelled.advance()).toMatchObject({ status: 'ended', outcome: 'withdrawn' });
    const started = await lab.start('deliver', SINGLE);
    await lab.answer(gateOf(await started.advance()), 'delete_and_start');
    const rest = await playTo(lab, started, {}, 'conventions');
    expect(rest.gate?.name).toBe('conventions');
    expect(await lab.row(spec.run)).toMatchObject({ status: 'ended' });
    expect((await lab.deps.store.events(spec.run, 0, 1_000)).slice(0, log.length)).toEqual(log);
  });

  test('WF-26 over a live run of the same task: resume, view, stop and restart end as they say, and the archived log is readable', async () => {
    const ground = grounds.repository(SMALL);
    const lab = await grounds.open(ground);
    const live = await lab.start('deliver', SINGLE);
    await playTo(lab, live, { conventions: [['skip']] }, 'spec');
    const row = await lab.row(live.run);
    const choose = async (option: string) => {
      const drive = await lab.start('deliver', SINGLE);
      const gate = gateOf(await drive.advance());
      expect(gate.name).toBe('session');
      expect(JSON.stringify(gate.brief)).toContain(live.run);
      await lab.answer(gate, option);
      return drive;
    };
    for (const option of ['resume', 'view']) {
      const drive = await choose(option);
      expect(await drive.advance()).toMatchObject({
        status: 'ended',
        outcome: 'withdrawn',
        successor: live.run,
      });
      expect(await lab.row(live.run)).toEqual(row);
    }
    const restarted = await choose('restart');
    const rest = await playTo(lab, restarted, { conventions: [['skip']] }, 'spec');
    expect(rest).toMatchObject({ run: restarted.run, phase: 'plan_done' });
    expect(await lab.row(live.run)).toMatchObject({ status: 'ended' });
    const stopping = await lab.start('deliver', SINGLE);
    await lab.answer(gateOf(await stopping.advance()), 'stop');
    expect(await stopping.advance()).toMatchObject({ status: 'ended', outcome: 'withdrawn' });
    expect(await lab.row(restarted.run)).toMatchObject({ status: 'ended' });
    expect(await lab.api.list(false)).toEqual([]);
    for (const run of [live.run, restarted.run]) {
      const log = await lab.deps.store.events(run, 0, 1_000);
      expect(log.at(0)?.type).toBe('run_created');
      expect(log.at(-1)?.type).toBe('run_ended');
    }
    expect((await lab.api.doctor(true)).problems).toEqual([]);
  });
});

/** A worker that says nothing, however often it is asked. */
const SILENT = { silence: true, attempts: [{ silence: true }, { silence: true }] };

describe('conventions', () => {
  const rich = lines(50);
  const rows = [
    ['nothing there', {}, 'gate'],
    ['49 lines of CLAUDE.md', { 'CLAUDE.md': lines(49) }, 'gate'],
    ['50 lines of CLAUDE.md', { 'CLAUDE.md': rich }, rich],
    ['5,001 lines of CLAUDE.md', { 'CLAUDE.md': lines(5_001) }, 'gate'],
    ['more than 200 KB of CLAUDE.md', { 'CLAUDE.md': lines(60, 'x'.repeat(4_000)) }, 'gate'],
    [
      'a persisted file, beside a rich CLAUDE.md',
      { 'CLAUDE.md': rich, [`${DOCS}/conventions.md`]: 'kept\n' },
      'kept\n',
    ],
  ] as const;

  test.each(rows)('WF-35 %s', async (_name, files, used) => {
    const ground = grounds.repository({ ...PLAIN, ...files });
    const lab = await grounds.open(ground);
    const drive = await lab.start('deliver', SINGLE);
    const rest = await playTo(
      lab,
      drive,
      used === 'gate' ? {} : {},
      used === 'gate' ? 'conventions' : 'spec',
    );
    expect(rest.gate?.name).toBe(used === 'gate' ? 'conventions' : 'spec');
    if (used !== 'gate') expect(dispatches(lab, drive.run)[0]?.prompt).toContain(used);
  });

  test('WF-36 a scanner that never delivers: 3 dispatches, then skipped with a warning and no artefact named', async () => {
    const ground = grounds.repository(PLAIN);
    const convention_scanner = [
      { no_result: true, attempts: [{ silence: true }, { garbage: 'four areas' }] },
    ];
    const lab = await grounds.open(ground, { ...changing(), convention_scanner });
    const drive = await lab.start('deliver', SINGLE);
    await playTo(lab, drive, { conventions: [['scan']] }, 'spec');
    expect(rolesCalled(lab).filter((line) => line.startsWith('convention'))).toHaveLength(3);
    expect(told(lab, 'conventions.scan_failed')).toEqual([{ level: 'warning', attempts: 3 }]);
    expect(await deliverState(lab, drive.run)).toMatchObject({ conventions: 'skipped' });
    const records = await lab.api.records(drive.run);
    expect(
      records.filter(({ record }) => record.kind === 'artefact' && record.name === 'conventions'),
    ).toEqual([]);
  });

  test('WF-29 WF-35 live conventions are used although CLAUDE.md changed; when their artefact is gone, resume finds them again', async () => {
    const ground = grounds.plain({ ...PLAIN, 'CLAUDE.md': lines(60, 'first') });
    const planner_single = [SILENT, SILENT, ...(changing().planner_single ?? [])];
    const lab = await grounds.open(ground, { ...changing(), planner_single });
    const drive = await lab.start('deliver', SINGLE);
    expect(await playTo(lab, drive, {})).toMatchObject({ status: 'halted', phase: 'planning' });
    const { conventions, model_config, has_git } = await deliverState(lab, drive.run);
    ground.write('CLAUDE.md', lines(60, 'second'));
    await lab.api.command({ run: drive.run, command: 'resume' });
    expect(await drive.advance()).toMatchObject({ status: 'halted', phase: 'planning' });
    expect(dispatches(lab, drive.run).at(-1)?.prompt).toContain('first 60\n');
    const hash = (conventions as { artefact: string }).artefact.slice('sha256:'.length);
    rmSync(path.join(ground.home, 'artefacts', hash.slice(0, 2), hash));
    await lab.api.command({ run: drive.run, command: 'resume' });
    const rest = await playTo(lab, drive, {}, 'spec');
    expect(rest.gate?.name).toBe('spec');
    expect(told(lab, 'deliver.notice.conventions_missing')).toMatchObject([{ level: 'warning' }]);
    const planner = dispatches(lab, drive.run).at(-1)?.prompt ?? '';
    expect(planner).toContain('second 60\n');
    expect(planner).not.toContain('first 60\n');
    expect(await deliverState(lab, drive.run)).toMatchObject({ model_config, has_git });
  });
});
