import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentsTable, withTable } from '../../scripts/agents-table.ts';

test('the table of agents in README.md is the one the adapters make', async () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toContain(await agentsTable());
  expect(await withTable(readme)).toBe(readme);
});

test('docs/guide/agents.md says how to set up every agent of the table', async () => {
  const guide = readFileSync('docs/guide/agents.md', 'utf8');
  const names = [...(await agentsTable()).matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
  expect(names).toEqual(
    expect.arrayContaining(['claude', 'codex', 'gemini', 'opencode', 'acp', 'command', 'pull']),
  );
  for (const name of names) expect(guide).toMatch(new RegExp(`^## .*\`${name}\``, 'm'));
});
