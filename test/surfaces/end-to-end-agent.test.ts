import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changeNotes, deliverSpec, NPM_PROJECT, passing } from '../support/deliver-script.ts';
import { typeRun } from '../support/typed-run.ts';
import { terminalRefusal, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();

/** A person's own agent: a shell script that knows its role by the words of its task. */
const SCRIPT = `#!/bin/sh
task=$(cat)
case "$task" in
*"You write the specification of one change"*) cat <<'E' > "$BATON_RESULT_FILE"
${JSON.stringify(deliverSpec())}
E
;;
*"Judge a change"*) cat <<'E'
\`\`\`json
${JSON.stringify(passing().result)}
\`\`\`
E
;;
*) echo 'export const add = (a, b) => a + b;' >> src/sums.js
cat <<'E' > test/add.test.js
import assert from 'node:assert';
import test from 'node:test';
import { add } from '../src/sums.js';
test('adds', () => assert.equal(add(1, 2), 3));
E
echo 'wrote add'
cat <<'E' > "$BATON_RESULT_FILE"
${JSON.stringify(changeNotes())}
E
;;
esac
`;

test.skipIf(terminalRefusal() !== null)(
  'a change by a program of the person, its gates answered at a terminal',
  async () => {
    const world = newWorld({
      git: true,
      files: {
        ...NPM_PROJECT,
        'baton.yaml': 'agent: mine\nagents:\n  mine: { kind: command }\n',
        'agent.sh': SCRIPT,
      },
      personConfig: 'agents:\n  mine: { command: [./agent.sh] }\n',
    });
    chmodSync(`${world.root}/agent.sh`, 0o755);
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: world.root, encoding: 'utf8' }).trim();
    const before = git('status', '--porcelain');
    const { code, screen, answered } = await typeRun(
      [process.execPath, world.main, 'deliver', 'Add', '--mode', 'single', '--model-config', 'balanced'],
      {
        cwd: world.root,
        env: { ...process.env, BATON_HOME: world.home, XDG_CONFIG_HOME: world.config, LANG: 'C.UTF-8' },
      },
    );
    expect(answered, screen).toEqual(['Convention scan', 'Spec', 'Commit']);
    expect(code, screen).toBe(0);
    expect(screen).toMatch(/✓ generator single \d:\d\d {2}wrote add/);
    expect(screen, 'the end of a fence is nothing to tell').not.toMatch(/evaluator \d:\d\d +```/);
    expect(screen).toContain('ended: passed');
    expect(git('show', 'baton/deliver-add:src/sums.js')).toContain('add = ');
    expect(git('status', '--porcelain'), "the person's checkout is as it was").toBe(before);
  },
);
