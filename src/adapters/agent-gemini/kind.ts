import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import { commandOf, environmentOf, goOn, modelOf, NETWORK } from '../agent-process/command-line.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import type { Session } from '../agent-process/program.ts';
import { geminiReader } from './reader.ts';

/**
 * Policy for a read-only worker. It may not leave plan mode, and it has no tool that writes, whatever the person's
 * settings allow.
 */
const READ_ONLY = `[[rule]]
toolName = ["exit_plan_mode", "write_file", "replace", "run_shell_command", "save_memory"]
decision = "deny"
priority = 999
`;

export const gemini: AgentKind = {
  title: 'Gemini CLI',
  capabilities: {
    resume: true,
    cost: false,
    tokens: true,
    schema: false,
    cancel: 'interrupt',
    permission_requests: false,
    read_only: true,
  },
  command: ['gemini'],
  version: ['--version'],
  env: [
    'GEMINI_API_KEY',
    'GEMINI_MODEL',
    'GEMINI_CLI_HOME',
    'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_VERTEX_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_GENAI_USE_GCA',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_APPLICATION_CREDENTIALS',
    ...NETWORK,
  ],
  clouds: { GOOGLE_GENAI_USE_VERTEXAI: { env: [], login: ['.config/gcloud'] } },
  folders: (env, home) => [configFolder(env, home)],
  models: { opus: 'pro', sonnet: 'flash', haiku: 'flash-lite' },
  signedIn,
  sign_in: 'gemini',
  start: async (setup, call, session) => ({
    argv: [...commandOf(gemini, setup), ...(await flags(setup, call, session))],
    // Without a terminal it does not look for updates. Telemetry is the only other feature that a variable can switch
    // off.
    env: environmentOf(gemini, setup, { GEMINI_TELEMETRY_ENABLED: 'false' }),
    stdin: withoutAtCommands(session ? goOn(call.prompt) : call.prompt),
  }),
  reader: geminiReader,
};

async function flags(setup: Setup, call: AgentCall, session: Session | null): Promise<string[]> {
  const model = modelOf(gemini, setup, call);
  const reads = call.profile.kind === 'read_only';
  return [
    ...['--output-format', 'stream-json', '--skip-trust'],
    ...(model === null ? [] : ['--model', model]),
    ...(reads
      ? ['--approval-mode', 'plan', '--policy', await storePolicy(call)]
      : // The result file is outside the tree. Without this flag the program would not write there.
        ['--approval-mode', 'yolo', '--include-directories', path.dirname(call.result_file)]),
    ...(session ? ['--resume', session.id] : []),
  ];
}

async function storePolicy({ dir }: AgentCall): Promise<string> {
  const file = path.join(dir, 'read-only.toml');
  await writeFile(file, READ_ONLY);
  return file;
}

/**
 * The program treats every `@word` of its input as a file to insert, searches the tree for it, and changes the text
 * around it. So data that names a path would act as a command. A backslash prevents that, and stays visible.
 */
function withoutAtCommands(prompt: string): string {
  if (!prompt.includes('@')) return prompt;
  const text = prompt.replace(/(?<!\\)@/g, '\\@');
  return `Wherever the text below says \\@, read a plain at sign.\n\n${text}`;
}

function signedIn(env: Setup['env'], home: string): boolean | null {
  if (env.GEMINI_API_KEY || env.GOOGLE_API_KEY || env.GOOGLE_APPLICATION_CREDENTIALS) return true;
  const folder = configFolder(env, home);
  if (existsSync(path.join(folder, 'oauth_creds.json'))) return true;
  // The person has chosen a way to sign in. Baton cannot see whether the system's key store has its key.
  return hasChosen(path.join(folder, 'settings.json')) ? null : false;
}

function configFolder(env: Setup['env'], home: string): string {
  return path.join(env.GEMINI_CLI_HOME || home, '.gemini');
}

function hasChosen(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('selectedType');
  } catch {
    return false;
  }
}
