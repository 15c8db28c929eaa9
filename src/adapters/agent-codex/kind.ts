import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import { commandOf, environmentOf, GO_ON, modelOf, NETWORK } from '../agent-process/command-line.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import type { Session } from '../agent-process/program.ts';
import { createCodexReader } from './read-stream.ts';
import { toStrict } from './strict-schema.ts';

/** Codex: `codex exec` with a JSON stream. */
export const codex: AgentKind = {
  title: 'Codex',
  capabilities: {
    resume: true,
    cost: false,
    tokens: true,
    schema: true,
    cancel: 'interrupt',
    permission_requests: false,
    read_only: true,
  },
  command: ['codex'],
  version: ['--version'],
  folders: (env, home) => [configFolder(env, home)],
  env: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_HOME', 'OPENAI_BASE_URL', ...NETWORK],
  models: {},
  signedIn: (env, home) => {
    // OPENAI_API_KEY is for the person's own providers. Codex does not read it to sign in (0.166.0).
    if (env.CODEX_API_KEY) return true;
    const folder = configFolder(env, home);
    if (existsSync(path.join(folder, 'auth.json'))) return true;
    // The key of a person's own provider is where their settings say, so the sign-in is unknown.
    return existsSync(path.join(folder, 'config.toml')) ? null : false;
  },
  sign_in: 'codex login',
  start: async (setup, call, session) => ({
    argv: [...commandOf(codex, setup), ...(await argumentsOf(setup, call, session))],
    env: environmentOf(codex, setup),
    stdin: session ? GO_ON : call.prompt,
  }),
  reader: createCodexReader,
};

/**
 * Codex has a sandbox of its own, which is switched off inside ours. It cannot be nested where /proc is masked, as for
 * root and in many containers, and every edit would be refused (0.166.0). Our room sets the same limits.
 */
const OWN_SANDBOX = { read_only: 'read-only', writes: 'workspace-write' } as const;

/**
 * The person's settings apply (login, provider, network of the sandbox). Those that could ask a question or contact
 * other services are switched off.
 */
async function argumentsOf(setup: Setup, call: AgentCall, session: Session | null): Promise<string[]> {
  const model = modelOf(codex, setup, call);
  const sandbox = setup.contained ? 'danger-full-access' : OWN_SANDBOX[call.profile.kind];
  const servers = await toolServers(configFolder(setup.env, setup.env.HOME ?? ''));
  const set = [
    'approval_policy="never"',
    'check_for_update_on_startup=false',
    'analytics.enabled=false',
    ...servers.map((name) => `mcp_servers.${name}.enabled=false`),
  ];
  return [
    ...['exec', '--json', '--skip-git-repo-check', '-C', call.cwd, '--sandbox', sandbox],
    ...set.flatMap((value) => ['-c', value]),
    ...(model === null ? [] : ['-m', model]),
    ...(await schemaFile(call)),
    ...(session === null ? [] : ['resume', session.id]),
    '-',
  ];
}

async function schemaFile({ schema, dir }: AgentCall): Promise<string[]> {
  const strict = toStrict(schema);
  if (!strict) return [];
  const file = path.join(dir, 'schema.json');
  await writeFile(file, JSON.stringify(strict));
  return ['--output-schema', file];
}

/**
 * Names of the person's tool servers. They are switched off one by one, because an empty list does not replace theirs
 * (0.166.0).
 */
async function toolServers(folder: string): Promise<string[]> {
  const config = await readFile(path.join(folder, 'config.toml'), 'utf8').catch(() => '');
  const names = [...config.matchAll(/^\s*\[mcp_servers\.("[^"\]]+"|[\w-]+)/gm)].map(([, name = '']) => name);
  return [...new Set(names)];
}

function configFolder(env: Setup['env'], home: string): string {
  return env.CODEX_HOME || path.join(home, '.codex');
}
