import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentsTable, withTable } from '../../scripts/agents-table.ts';

const guide = readFileSync('docs/guide/agents.md', 'utf8');

test('the table of agents in docs/guide/agents.md is the one the adapters make', async () => {
  expect(guide).toContain(await agentsTable());
  expect(await withTable(guide)).toBe(guide);
});

test('docs/guide/agents.md says how to set up every agent of the table', async () => {
  const names = [...(await agentsTable()).matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
  expect(names).toEqual(
    expect.arrayContaining(['claude', 'codex', 'gemini', 'opencode', 'acp', 'command', 'pull']),
  );
  for (const name of names) expect(guide).toMatch(new RegExp(`^## .*\`${name}\``, 'm'));
});
