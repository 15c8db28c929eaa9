import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkScript } from '../../src/check-script.ts';
import { conductWorkflow } from '../../src/workflows/conduct/workflow.ts';
import { deliverWorkflow } from '../../src/workflows/deliver/workflow.ts';
import { specWorkflow } from '../../src/workflows/spec/workflow.ts';
import { deliver, groundsOfTest, YES } from '../scenario/deliver-lab.ts';
import { openLabAt } from '../support/lab.ts';
import { sharedBundle } from '../support/shared-bundle.ts';

const GUIDE = readFileSync('docs/guide/scripts.md', 'utf8');
const { repository } = groundsOfTest();

function fileOf(name: string): string {
  const [, body = ''] = new RegExp(`^\`\`\`\\w+ file=${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(GUIDE) ?? [];
  return body;
}

test('the script the guide shows for deliver plays a whole run: a failing test, its repair, a commit', async () => {
  const ground = repository({ 'package.json': fileOf('package.json') });
  const lab = await openLabAt(ground, { script: fileOf('deliver.yaml') });
  const input = { task: 'Add two numbers', mode: 'single', model_config: 'balanced' };
  expect(await deliver(lab, YES, input)).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(ground.git('show', 'baton/deliver-add-two-numbers:add.mjs')).toBe(
    'export const add = (a, b) => a + b;',
  );
  await lab.close();
});

test('the guide names every role there is', () => {
  const roles = [specWorkflow, deliverWorkflow, conductWorkflow].flatMap((workflow) =>
    Object.keys(workflow.roles),
  );
  expect(roles.filter((role) => !GUIDE.includes(`\`${role}\``))).toEqual([]);
});

describe('a role nobody has', () => {
  const text = 'script: 1\nroles:\n  else: { silence: true }\n  intervewer:\n    - silence: true\n';

  test('is refused with its place, the nearest name and the roles of each workflow', async () => {
    const checked = await checkScript(text, 'script.yaml');
    const [first, ...lists] = checked.ok ? [] : checked.errors;
    expect(first).toBe('script.yaml:4:3 roles.intervewer: no such role; did you mean "interviewer"?');
    expect(lists.map((list) => list.replace(/:.*/, ''))).toEqual([
      'roles of spec',
      'roles of deliver',
      'roles of conduct',
    ]);
    expect(lists[1]).toContain('generator_single');
  });

  test('stops a start before anything exists', async () => {
    const { root, home, write } = repository();
    write('script.yaml', text);
    const { main } = await sharedBundle();
    const argv = [main, 'spec', 'A task', '--mode', 'quick', '--script', 'script.yaml', '--no-input'];
    const env = { ...process.env, BATON_HOME: path.join(home, 'state') };
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8', env });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"interviewer"?'),
    });
    expect(execFileSync('ls', [home], { encoding: 'utf8' })).toBe('');
  });
});
