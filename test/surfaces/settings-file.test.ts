import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/read-config.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'baton-settings-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a setting that is refused names the field, the value, what is allowed and what was meant', () => {
  test.each([
    ['agnet: claude', 'agnet "claude": there is no such setting. Allowed: namespace, agent, '],
    ['budget: { mony_usd: 3 }', 'budget.mony_usd "3": there is no such setting. Allowed: money_usd, '],
    ['agents: { x: { kind: acp, modles: {} } }', '. Did you mean "models"?'],
    [
      'roles: { evaluator: { agnt: codex } }',
      'roles.evaluator.agnt "codex": there is no such setting. Allowed: as, agent, model. Did you mean "agent"?',
    ],
    ['zork: 1', 'zork "1": there is no such setting. Allowed: namespace, '],
    ['budget: 5', 'budget "5": must be a group of settings.'],
    ['at_once: 1.5', 'at_once "1.5": must be a whole number.'],
    ['at_once: many', 'at_once "many": must be a number.'],
    [
      'agents: { Mine: { kind: codex } }',
      'agents.Mine "{"kind":"codex"}": must be lower case letters, digits',
    ],
    ['roles: { deliver.evaluator: x }', 'roles.deliver.evaluator "x": must be the name of a role: '],
    ['namespace: Foo', 'namespace "Foo": must be lower case letters, digits and hyphens.'],
    ['sandbox: yes', 'sandbox "yes": not allowed. Allowed: auto, off, required.'],
  ])('%s', async (text, told) => {
    writeFileSync(path.join(dir, 'baton.yaml'), text);
    await expect(readConfig(dir)).rejects.toThrow(told);
  });
});

test('a state directory that can never be made is refused at once', () => {
  const command = [path.resolve('bin/baton.cjs'), 'spec', 'A tool that renames photos'];
  const env = { ...process.env, BATON_HOME: '/proc/nowhere/deep' };
  const run = () =>
    execFileSync(process.execPath, command, { cwd: dir, env, stdio: 'pipe', timeout: 60_000 });
  rmSync(path.join(dir, 'baton.yaml'), { force: true });
  const told: unknown = expect.objectContaining({
    status: 3,
    message: expect.stringMatching(/io_failed.*\/proc\/nowhere/s),
  });
  expect(run).toThrow(told as Error);
});
