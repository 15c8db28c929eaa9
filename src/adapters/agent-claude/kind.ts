import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import { commandOf, environmentOf, GO_ON, modelOf, NETWORK } from '../agent-process/command-line.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import type { Session } from '../agent-process/program.ts';
import { createClaudeReader } from './read-stream.ts';

/**
 * Switches off everything except the call: updates, reports and background shells. Few retries, so that an overloaded
 * provider is reported soon.
 */
const SWITCHES = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
};

const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const CLOUDS: AgentKind['clouds'] = {
  CLAUDE_CODE_USE_BEDROCK: {
    env: [
      ...[
        'AWS_REGION',
        'AWS_DEFAULT_REGION',
        'AWS_PROFILE',
        'AWS_CONFIG_FILE',
        'AWS_SHARED_CREDENTIALS_FILE',
      ],
      ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
      ...['ANTHROPIC_BEDROCK_BASE_URL', 'CLAUDE_CODE_SKIP_BEDROCK_AUTH'],
    ],
    login: ['.aws'],
  },
  CLAUDE_CODE_USE_VERTEX: {
    env: [
      ...['CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID', 'ANTHROPIC_VERTEX_BASE_URL'],
      ...['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'CLAUDE_CODE_SKIP_VERTEX_AUTH'],
    ],
    login: ['.config/gcloud'],
  },
  CLAUDE_CODE_USE_FOUNDRY: {
    env: ['API_KEY', 'RESOURCE', 'BASE_URL'].map((name) => `ANTHROPIC_FOUNDRY_${name}`),
    login: ['.azure'],
  },
};

/** Claude Code: `claude -p` with a JSON stream. */
export const claude: AgentKind = {
  title: 'Claude Code',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: true,
    cancel: 'interrupt',
    permission_requests: false,
    read_only: true,
  },
  command: ['claude'],
  version: ['--version'],
  // Sessions and the renewed login are writable. Settings, agents and memory belong to the person and stay unchanged.
  folders: (env, home) =>
    ['projects', 'todos', 'shell-snapshots', 'session-env', 'statsig'].map((name) =>
      path.join(configFolder(env, home), name),
    ),
  others: (env, home) => [path.join(configFolder(env, home), '.credentials.json')],
  reads: (env, home) => [configFolder(env, home), path.join(home, '.claude.json')],
  env: [
    ...CREDENTIALS,
    ...Object.keys(CLOUDS),
    ...['ANTHROPIC_BASE_URL', 'ANTHROPIC_CUSTOM_HEADERS', 'ANTHROPIC_MODEL', 'CLAUDE_CONFIG_DIR'],
    ...['OPUS', 'SONNET', 'HAIKU'].map((tier) => `ANTHROPIC_DEFAULT_${tier}_MODEL`),
    ...NETWORK,
  ],
  clouds: CLOUDS,
  models: { opus: 'opus', sonnet: 'sonnet', haiku: 'haiku' },
  signedIn: (env, home) => {
    if ([...CREDENTIALS, ...Object.keys(CLOUDS)].some((name) => env[name])) return true;
    if (existsSync(path.join(configFolder(env, home), '.credentials.json'))) return true;
    // macOS stores the login in its keychain, and reading it would prompt the person.
    return process.platform === 'darwin' ? null : false;
  },
  sign_in: 'claude auth login',
  offers: ({ env }) => agentsOf(configFolder(env, env.HOME ?? '')),
  start: async (setup, call, session) => ({
    argv: [...commandOf(claude, setup), ...argumentsOf(setup, call, session)],
    env: environmentOf(claude, setup, SWITCHES),
    stdin: session ? GO_ON : call.prompt,
  }),
  reader: createClaudeReader,
};

/**
 * The person's own settings apply (login, provider, prohibitions). Those of the tree do not apply, because a worker may
 * have written them. The tools are listed, so that a call never waits for a permission and never leaves its folder.
 */
function argumentsOf(setup: Setup, call: AgentCall, session: Session | null): string[] {
  const model = modelOf(claude, setup, call);
  const { money_left_usd: money, bound } = call;
  return [
    ...[
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--setting-sources',
      'user',
      '--strict-mcp-config',
    ],
    ...(call.profile.kind === 'read_only' ? READER : writer(call)),
    ...(model === null ? [] : ['--model', model]),
    ...(bound === null ? [] : ['--agent', bound]),
    ...schemaOf(call),
    ...(money === null ? [] : ['--max-budget-usd', Math.max(money, 0.0001).toFixed(4)]),
    ...(session === null ? [] : ['--resume', session.id]),
  ];
}

/** In this mode a shell command runs only if the program itself knows that the command changes nothing. */
const READER = ['--tools', 'Read,Glob,Grep,Bash', '--permission-mode', 'dontAsk'];

/** Outside the tree only the result file may be written. */
function writer({ result_file }: AgentCall): string[] {
  const tools = [
    '--tools',
    'Read,Glob,Grep,Bash,Edit,Write,NotebookEdit',
    '--permission-mode',
    'acceptEdits',
  ];
  return [...tools, '--allowedTools', 'Bash', `Edit(/${result_file})`];
}

/**
 * Removes `$schema`: the program knows only the older names of drafts and rejects the newest. It accepts the schema
 * itself.
 */
function schemaOf({ schema }: AgentCall): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const { $schema: _, ...plain } = schema as Record<string, unknown>;
  return Object.keys(plain).length === 0 ? [] : ['--json-schema', JSON.stringify(plain)];
}

function configFolder(env: Setup['env'], home: string): string {
  return env.CLAUDE_CONFIG_DIR || path.join(home, '.claude');
}

/** Names of the person's own agents, from the heading of each file. A role can be bound to them. */
function agentsOf(folder: string): string[] {
  const agents = path.join(folder, 'agents');
  if (!existsSync(agents)) return [];
  const files = readdirSync(agents).filter((name) => name.endsWith('.md'));
  return files.flatMap((name) => {
    const heading = /^---\n(.*?)\n---/s.exec(readFileSync(path.join(agents, name), 'utf8'))?.[1] ?? '';
    return /^name: *["']?([^"'\n]+?)["']? *$/m.exec(heading)?.[1] ?? [];
  });
}
