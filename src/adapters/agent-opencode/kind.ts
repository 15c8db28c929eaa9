import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import { commandOf, environmentOf, goOn, modelOf, NETWORK } from '../agent-process/command-line.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import { opencodeReader } from './reader.ts';

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
};

export const opencode: AgentKind = {
  title: 'opencode',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: false,
    cancel: 'interrupt',
    permission_requests: false,
    read_only: true,
  },
  command: ['opencode'],
  version: ['--version'],
  // The person names the key of a provider (`env` in baton.yaml). So no agent sees the keys of another.
  env: [
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_CONTENT',
    'OPENCODE_CONFIG_DIR',
    'OPENCODE_API_KEY',
    'OPENCODE_AUTH_CONTENT',
    'OPENCODE_DISABLE_MODELS_FETCH',
    ...NETWORK,
  ],
  folders: (env, home) =>
    [
      env.XDG_CONFIG_HOME || path.join(home, '.config'),
      dataFolder(env, home),
      path.join(home, '.local', 'state'),
      env.XDG_CACHE_HOME || path.join(home, '.cache'),
    ].map((folder) => path.join(folder, 'opencode')),
  models: {},
  signedIn,
  sign_in: 'opencode auth login',
  start: async (setup, call, session) => {
    const model = modelOf(opencode, setup, call);
    return {
      argv: [
        ...commandOf(opencode, setup),
        ...['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR'],
        ...(model === null ? [] : ['--model', model]),
        ...(session ? ['--session', session.id] : []),
      ],
      env: environmentOf(opencode, setup, {
        ...QUIET,
        OPENCODE_PERMISSION: JSON.stringify(permissionsOf(call)),
      }),
      stdin: session ? goOn(call.prompt) : call.prompt,
    };
  },
  reader: opencodeReader,
};

/**
 * Overrides the person's own rules for this call. No rule may ask, because without a terminal a question is refused.
 */
function permissionsOf({ profile, result_file }: AgentCall): object {
  const looks = {
    read: 'allow',
    glob: 'allow',
    grep: 'allow',
    list: 'allow',
    todowrite: 'allow',
    lsp: 'allow',
  };
  if (profile.kind === 'read_only') return { '*': 'deny', ...looks };
  return {
    '*': 'allow',
    // The result file is outside the tree.
    external_directory: { '*': 'deny', [path.join(path.dirname(result_file), '*')]: 'allow' },
    question: 'deny',
  };
}

function signedIn(env: Setup['env'], home: string): boolean | null {
  if (existsSync(path.join(dataFolder(env, home), 'opencode', 'auth.json'))) return true;
  // Its providers may also be free, local, or configured in any folder.
  return env.OPENCODE_API_KEY || env.OPENCODE_AUTH_CONTENT ? true : null;
}

function dataFolder(env: Setup['env'], home: string): string {
  return env.XDG_DATA_HOME || path.join(home, '.local', 'share');
}
