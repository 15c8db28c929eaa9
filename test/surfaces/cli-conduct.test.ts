import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TICKET_GATES } from '../../src/contract/ticket.ts';
import { reject } from '../../src/engine/rejection.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { script } from '../scenario/quick-lab.ts';
import { decomposed, designed } from '../support/conduct-script.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { told } from '../support/handed-over.ts';
import { initGit, type Lab } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { CLI, call, create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();
const NOT_A_PERSON = reject('not_a_person', { call_id: 'B-1/1', reason: 'started by a worker' });
const WORKER = { refused: NOT_A_PERSON, person: NOT_A_PERSON };
const MODES = [[], ['--pause-at', 'decompose'], ['--unattended'], ['--escalate']];

const conducted = (lab: Lab, ...flags: string[]) => say(lab, {}, 'conduct', 'B-1', ...flags);

describe('flags of conduct', () => {
  test.each(['--unattnded', '--escalte', '--pause-att=plan', '--one-shto', '--force'])(
    'CON-06 %s is an error that names the flags there are; nothing is driven and no run row is made',
    async (flag) => {
      const lab = await open();
      await create(lab, 'Rename photos');
      const before = await whole(lab);
      const drive = await lab.deps.store.drive('B-1');
      const said = await conducted(lab, flag);
      expect(said).toMatchObject({ exit: EXIT.usage, out: '' });
      expect(said.err).toContain(flag.split('=')[0]);
      for (const known of ['--pause-at', '--unattended', '--escalate', '--one-shot'])
        expect(said.err).toContain(known);
      expect(await whole(lab)).toEqual(before);
      expect(await lab.deps.store.drive('B-1')).toEqual(drive);
    },
  );

  test.each([
    ['controlled', []],
    ['unattended', ['--unattended']],
    ['escalate', ['--escalate']],
    ...TICKET_GATES.flatMap((gate) => [
      [`partial:${gate}`, ['--pause-at', gate]] as const,
      [`partial:${gate}`, [`--pause-at=${gate}`]] as const,
    ]),
  ] as const)('CON-03 typed, mode %s comes of %j and of no other', async (mode, flags) => {
    const lab = await open({}, { script: script({ clarify: [{ result: clarified(['A migration.']) }] }) });
    await create(lab, 'Rename photos');
    await conducted(lab, ...flags);
    expect(await lab.deps.store.drive('B-1')).toMatchObject({ mode, denied: null, one_shot: false });
  });

  test.each([[['--pause-at', 'desing']], [['--pause-at']], [['--pause-at=']], [['--pause-at', 'Plan']]])(
    'CON-04 %j is a usage error that lists the seven gates, and nothing is driven',
    async (flags) => {
      const lab = await open();
      await create(lab, 'Rename photos');
      const before = await whole(lab);
      const said = await conducted(lab, ...flags);
      expect(said).toMatchObject({ exit: EXIT.usage, out: '' });
      expect(said.err).toContain('Allowed: clarify, decompose, design, plan, build, release, verify.');
      expect(await whole(lab)).toEqual(before);
    },
  );

  test.each([
    [['--unattended', '--escalate']],
    [['--escalate', '--pause-at', 'plan']],
    [['--pause-at=plan', '--unattended']],
    [['--unattended', '--pause-at', 'plan', '--escalate']],
  ])('CON-05 %j exclude each other, and nothing is driven', async (flags) => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const before = await whole(lab);
    const said = await conducted(lab, ...flags);
    expect(said).toMatchObject({ exit: EXIT.usage, out: '' });
    expect(said.err).toContain('exclude each other');
    expect(await whole(lab)).toEqual(before);
  });

  test('a gate to pause at is named once: of two neither is the one that is meant', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const before = await whole(lab);
    const said = await conducted(lab, '--pause-at', 'plan', '--pause-at', 'design');
    expect(said).toMatchObject({ exit: EXIT.usage, out: '' });
    expect(said.err).toContain('--pause-at is given twice');
    expect(await whole(lab)).toEqual(before);
  });

  test('CON-18 pauses where an unattended run paused; the next gate of an invocation without a flag pauses too', async () => {
    const lab = await open({}, { script: script({ clarify: [{ result: clarified(['A migration.']) }] }) });
    await create(lab, 'Rename photos');
    expect((await conducted(lab, '--unattended')).out).toContain('Risk floor: data-migration.');
    expect(JSON.stringify(await stateOf(lab, 'B-1'))).not.toContain('unattended');
    await conducted(lab);
    await say(lab, {}, 'answer', 'B-1', 'accept');
    expect(await lab.deps.store.drive('B-1')).toMatchObject({ mode: 'controlled' });
    expect((await stateOf(lab, 'B-1')).brief?.reason).toBe('decomposition-proposal');
    expect(await told(lab, 'B-1', 'auto_accepted')).toEqual([]);
    expect((await told(lab, 'B-1', 'gate_paused')).at(-1)).toMatchObject({
      name: 'decompose',
      cause: 'controlled',
    });
  });

  test.each([
    [['--unattended'], '--unattended'],
    [['--pause-at', 'design'], '--pause-at design'],
  ])(
    'CON-55 %j: each gate accepted for the person has one line with the gate and the flag',
    async (flags, flag) => {
      const lab = await open(
        {},
        { script: script({ design: [{ result: designed({ why: ['A migration.'] }) }] }) },
      );
      await create(lab, 'Rename photos');
      const { out } = await conducted(lab, ...flags);
      const lines = out.split('\n').filter((line) => line.includes('accepted for you ('));
      expect(lines).toEqual(['clarify', 'decompose'].map((gate) => `  ✓ ${gate} accepted for you (${flag})`));
      expect(await told(lab, 'B-1', 'auto_accepted')).toHaveLength(2);
    },
  );

  test.each([
    [['--unattnded']],
    [['--pause-at', 'desing']],
    [['--pause-at']],
    [['--unattended', '--escalate']],
    [['--unattended', '--pause-at', 'plan']],
    [['--one-shto']],
  ])('CON-07 %s is a usage error where every call of the store throws', async (flags) => {
    const broken = () => {
      throw new Error('the store was asked');
    };
    const api = new Proxy({}, { get: () => broken }) as Lab['api'];
    for (const more of [{ openApi: async () => broken() }, { openApi: async () => api }]) {
      const terminal = createTerminal({ more: { ...more, storeTrace: async () => 'trace' } });
      expect(await terminal.run('conduct', 'B-1', ...flags)).toBe(EXIT.usage);
      expect(terminal.err()).not.toContain('the store was asked');
      expect(await terminal.run('conduct', 'B-1')).toBe(EXIT.error);
    }
  });

  test.each(MODES)(
    'CON-09 --one-shot beside "%s %s" changes no event up to the first pause',
    async (...flags) => {
      const given = flags.filter((flag) => flag !== undefined);
      const told = [];
      for (const more of [[], ['--one-shot']]) {
        const lab = await open(
          {},
          { script: script({ decompose: [{ result: decomposed([], { why: ['A migration.'] }) }] }) },
        );
        await create(lab, 'Rename photos');
        expect(await conducted(lab, ...given, ...more)).toMatchObject({ exit: EXIT.waiting });
        const events = await lab.deps.store.events('B-1', 0, 1000);
        const first = events.findIndex(({ type }) => type === 'gate_paused');
        expect(first).toBe(events.length - 1);
        const shown = events.map(({ seq, type, turn, by, input }) => ({ seq, type, turn, by, input }));
        told.push(JSON.parse(JSON.stringify(shown).replace(/"(dr|an)-\w+"|"20\d\d-[^"]+Z"/g, 'null')));
        expect(await lab.deps.store.drive('B-1')).toMatchObject({ one_shot: more.length > 0 });
      }
      expect(told[1]).toEqual(told[0]);
    },
  );
});

describe('a pause', () => {
  test('CON-58 shows the stored brief byte for byte, its revision, then the gate and how to answer', async () => {
    const why = [
      `${'A line much longer than any terminal is wide, '.repeat(6)}with  two  blanks.`,
      '이름은 날짜로 정한다.',
    ];
    const lab = await open(
      {},
      {
        script: script({ clarify: [{ result: clarified(why) }, { result: clarified([...why, 'Again.']) }] }),
      },
    );
    await create(lab, 'Rename photos');
    for (const iteration of [1, 2]) {
      const { out } = await conducted(lab);
      const brief = await call<{ content: string; iteration: number }>(lab, 'get_brief', { task_id: 'B-1' });
      expect(brief.iteration).toBe(iteration);
      expect(brief.content).toContain(why[0]);
      expect(out).toContain(brief.content);
      const after = out.slice(out.indexOf(brief.content) + brief.content.length).replace(/\s+/g, ' ');
      const told = ['waits for you at the clarify gate', 'baton answer B-1 accept', 'reshape --text', 'deny'];
      for (const part of told) expect(after).toContain(part);
      expect(out.includes('rev 2')).toBe(iteration === 2);
      if (iteration === 1)
        await say(lab, {}, 'answer', 'B-1', 'reshape', '--text', 'Say it again', '--no-drive');
    }
  });
});

function clarified(why: readonly string[]) {
  const { children: _, ...draft } = decomposed([], { why: [...why] });
  return { ...draft, criteria: ['Photos are named by date'], labels: [], deliverable: false };
}

describe('a parent', () => {
  test('CON-80 with a child is only reported, the same in every mode, and nothing is written; without one it is designed', async () => {
    const lab = await open({}, { script: script({ decompose: [{ result: decomposed(['a', 'b']) }] }) });
    await create(lab, 'Rename photos');
    await conducted(lab, '--unattended');
    await call(lab, 'update_task', { task_id: 'B-3', archived: true });
    const before = await everything(lab);
    const told = [];
    for (const flags of MODES) {
      const said = await conducted(lab, ...flags);
      expect(said.out).toContain('- B-2 Idea: Part a');
      expect(said.out).not.toContain('B-3');
      told.push(said);
      expect(await everything(lab)).toEqual(before);
    }
    for (const said of told) expect(said).toEqual(told[0]);
    await call(lab, 'update_task', { task_id: 'B-2', archived: true });
    await conducted(lab);
    expect(await stateOf(lab, 'B-1')).toMatchObject({
      phase: 'Decomposed',
      brief: { reason: 'design-decision-draft' },
    });
  });
});

const everything = async (lab: Lab) => ({
  ...(await whole(lab)),
  rows: await Promise.all(['B-1', 'B-2', 'B-3'].map((id) => lab.row(id))),
  drive: await lab.deps.store.drive('B-1'),
});

describe('the end of a ticket', () => {
  const DONE = { ...clarified([]), deliverable: true };

  test('CON-104 is told per terminal state, with where it began, where it stood and why', async () => {
    const lab = await open({}, { script: script({ clarify: [{ result: DONE }] }) });
    await create(lab, 'Rename photos', { labels: ['decision-only'] });
    await conducted(lab);
    const ended = await say(lab, {}, 'answer', 'B-1', 'accept', '--typed', 'B-1');
    expect([ended.exit, (await stateOf(lab, 'B-1')).phase]).toEqual([EXIT.done, 'Verified']);
    expect((await conducted(lab)).out).toContain('B-1 is Verified. This run began at Verified.');
    await create(lab, 'Two');
    await create(lab, 'Three');
    await say(lab, {}, 'conduct', 'B-2');
    await say(lab, {}, 'answer', 'B-2', 'deny', '--text', 'not this year');
    await say(lab, {}, 'ticket', 'cancel', 'B-3', '--why', 'a double');
    const at = { 'B-2': 'Idea', 'B-3': 'Captured' };
    for (const [id, state, why] of [
      ['B-2', 'Parked', 'not this year'],
      ['B-3', 'Cancelled', 'a double'],
    ] as const) {
      const before = await whole(lab);
      for (const flags of MODES) {
        const { out } = await say(lab, {}, 'conduct', id, ...flags);
        expect(out).toContain(`${id} is ${state}; it stood at ${at[id]}. This run began at ${state}.`);
        expect(out).toContain(`Reason: ${why}`);
      }
      expect(await whole(lab)).toEqual(before);
    }
  });
});

describe('the dial', () => {
  test.each([
    [['--unattended'], 'unattended'],
    [['--escalate'], 'escalate'],
    [['--pause-at', 'design'], 'partial:design'],
  ])(
    'CON-12 cautious ignores %j and says so: the trust level, the flag, the way to allow it, and one event',
    async (flags, mode) => {
      const lab = await open();
      await create(lab, 'Rename photos');
      await lab.api.setTrust({ level: 'cautious' });
      const out = (await conducted(lab, ...flags)).out.replace(/\s+/g, ' ');
      const flag = flags.join(' ');
      expect(out.split(`The trust level is cautious: ${flag} is ignored`)).toHaveLength(2);
      expect(out).toContain('To allow it: baton trust balanced');
      expect(out).toContain('B-1 starts at Captured, mode controlled. Every gate waits for you.');
      expect(await lab.deps.store.drive('B-1')).toMatchObject({ mode: 'controlled', denied: mode });
      expect(await told(lab, 'B-1', 'dial_override')).toMatchObject([{ flag: mode, trust: 'cautious' }]);
      expect(await told(lab, 'B-1', 'gate_paused')).toMatchObject([{ name: 'clarify', cause: 'dial' }]);
    },
  );

  test.each([[[]], [['--unattended']]])(
    'that holds no level is told as cautious, also without a flag (S1): %j',
    async (flags) => {
      const lab = await open();
      await create(lab, 'Rename photos');
      // As a hand in the file would leave it; no command sets such a level.
      const by = { who: 'x', surface: 'cli', at: lab.deps.clock.now() } as const;
      await lab.deps.store.changeSetting({ name: 'agent_trust.level', to: 'yolo', ...by });
      const { out } = await conducted(lab, ...flags);
      const unknown = 'The trust level "yolo" is not known. It counts as cautious.';
      expect(out.replace(/\s+/g, ' ')).toContain(unknown);
      expect(await lab.deps.store.drive('B-1')).toMatchObject({ mode: 'controlled' });
    },
  );

  test('CON-107 is changed by the command the announcement prints, typed by a person, and by nothing else', async () => {
    const lab = await open();
    initGit(lab.root);
    await create(lab, 'Rename photos');
    await lab.api.setTrust({ level: 'cautious' });
    const announced = (await conducted(lab, '--unattended')).out.replace(/\s+/g, ' ');
    const [, typed = ''] = /baton (trust \w+)/.exec(announced) ?? [];
    expect(typed).toBe('trust balanced');
    const refused = await say(lab, WORKER, ...typed.split(' '));
    expect(refused).toMatchObject({ exit: EXIT.refused });
    expect(await lab.api.as(CLI).operate('set_trust', { level: 'balanced' })).toMatchObject({
      rejection: 'no_such_command',
    });
    for (const [file, text] of [
      ['baton.yaml', 'agent_trust:\n  level: autonomous\ntrust: autonomous\n'],
      ['agent_trust.json', '{"level":"autonomous"}'],
    ] as const) {
      writeFileSync(path.join(lab.root, file), text);
      execFileSync('git', ['add', file], { cwd: lab.root });
      execFileSync('git', ['commit', '-q', '-m', 'trust me'], { cwd: lab.root });
      expect(await lab.api.trust()).toMatchObject({ level: 'cautious' });
    }
    expect(await lab.api.settingChanges('trust')).toHaveLength(1);
    expect(await say(lab, {}, ...typed.split(' '))).toMatchObject({ exit: EXIT.done });
    expect(await lab.api.trust()).toMatchObject({ level: 'balanced' });
    expect((await lab.api.settingChanges('trust')).at(-1)).toMatchObject({
      from: 'cautious',
      to: 'balanced',
      who: 'Ada',
      surface: 'cli',
    });
  });
});
