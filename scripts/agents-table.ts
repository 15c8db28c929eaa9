import { readFileSync, writeFileSync } from 'node:fs';
import { describeKind } from '../src/adapters/agents.ts';
import { AGENT_KINDS } from '../src/contract/agent-settings.ts';

const GUIDE = 'docs/guide/agents.md';
const BETWEEN = /(<!-- agents: made by scripts\/agents-table.ts -->\n)[\s\S]*?(\n<!-- \/agents -->)/;

/** What each agent supports, as the adapters say it. */
export async function agentsTable(): Promise<string> {
  const rows = await Promise.all(
    AGENT_KINDS.map(async (name) => {
      const { title, capabilities } = await describeKind(name);
      const { resume, cost, tokens, schema, cancel, permission_requests, read_only } = capabilities;
      const told = [resume, cost, tokens, schema].map(yes);
      return [`\`${name}\``, title, ...told, cancel, yes(permission_requests), yes(read_only)];
    }),
  );
  const head = [
    'agent',
    'program',
    'resume',
    'cost',
    'tokens',
    'schema',
    'cancel',
    'asks permission',
    'read-only mode',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function yes(has: boolean): string {
  return has ? 'yes' : '–';
}

/** The guide with the table as it is now. */
export async function withTable(guide: string): Promise<string> {
  const table = await agentsTable();
  return guide.replace(BETWEEN, (_, open: string, close: string) => `${open}${table}${close}`);
}

if (import.meta.main) writeFileSync(GUIDE, await withTable(readFileSync(GUIDE, 'utf8')));
