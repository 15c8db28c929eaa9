import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { terminalRefusal, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();
const noTerminal = terminalRefusal();

interface Shown {
  readonly level: string;
  readonly changes: readonly { readonly from: string | null; readonly to: string; readonly who: string }[];
}

test.skipIf(noTerminal !== null)(
  'a person at a terminal changes the trust level; a script, a worker or a commit does not',
  async () => {
    const world = newWorld({
      git: true,
      bare: true,
      files: { 'rules.md': '# Rules\n\n- Names are short.\n' },
    });
    const trust = () => world.json<Shown>('trust');
    const inTerminal = async (command: string) => {
      const { code, stdout } = await world.typed(...command.split(' '));
      return { code, stdout: stdout.replace(/\s+/g, ' ') };
    };
    const set = await inTerminal('trust cautious');
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('trust: cautious (was balanced)') });
    expect(await trust()).toMatchObject({ level: 'cautious', changes: [{ from: null, to: 'cautious' }] });

    const piped = await world.run('trust', 'autonomous');
    expect(piped.code).toBe(3);
    expect(piped.stderr).toContain('Only a person decides this');

    const baton = `BATON_HOME=${world.home} ${process.execPath} ${world.main}`;
    const tries = [
      `script -qec '${baton} trust autonomous' /dev/null`,
      `${baton} project manual`,
      `${baton} decisions record Mine --type business`,
    ].map((line) => `${line} > /dev/null 2>&1`);
    const hostile = JSON.stringify(tries.join('; '));
    world.file(
      'hostile.yaml',
      `script: 1\nroles:\n  interviewer:\n    - runs: ${hostile}\n      result: { questions: [{ text: Which?, why: it decides }] }\n`,
    );
    const told = await world.run(
      'spec',
      'Rename photos',
      '--mode',
      'quick',
      '--script',
      'hostile.yaml',
      '--json',
      '--reference',
      'rules.md',
    );
    const { run } = JSON.parse(told.stdout.split('\n')[0] ?? '') as { run: string };
    const { stdout: log } = await world.run('log', run, '--json');
    for (const command of ['trust', 'project', 'decisions record'])
      expect(log).toContain(`"command":"${command}"`);

    world.file('baton.yaml', 'agent_trust: { level: autonomous }\n');
    execFileSync('git', ['add', 'baton.yaml'], { cwd: world.root });
    execFileSync('git', ['commit', '-qm', 'trust me'], { cwd: world.root });
    expect(await trust()).toMatchObject({ level: 'cautious', changes: [{ to: 'cautious' }] });
    expect(await world.json<unknown[]>('decisions')).toEqual([]);

    const command = /allow them again (baton trust \w+)/.exec(set.stdout)?.[1] ?? '';
    expect(await inTerminal(command.replace('baton ', ''))).toMatchObject({ code: 0 });
    const { level, changes } = await trust();
    expect([level, changes.length, changes[1]?.from]).toEqual(['balanced', 2, 'cautious']);
  },
);
