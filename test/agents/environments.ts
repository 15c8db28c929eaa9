import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProgramName } from './programs.ts';

/** Where a program finds its model: variables it reads and files in its home. */
interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** Contents by path inside the home. */
  readonly files: Readonly<Record<string, string>>;
}

/** The model every program is told to ask for. The names are real where a program knows its models by name. */
export const MODELS = {
  claude: 'claude-sonnet-4-5',
  codex: 'scripted',
  gemini: 'gemini-2.5-flash',
  opencode: 'scripted/scripted',
  'claude-acp': 'claude-sonnet-4-5',
} as const satisfies Record<ProgramName, string>;

const KEY = 'not-a-secret';

/** Nothing may leave the machine: no update, no report, no telemetry. */
const CLAUDE_QUIET = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // How often a refused call is made again is otherwise ten times, with minutes between.
  CLAUDE_CODE_MAX_RETRIES: '1',
};

const ENVIRONMENTS: Readonly<Record<ProgramName, (url: string, home: string) => Environment>> = {
  claude: (url) => ({
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, ...CLAUDE_QUIET },
    files: {},
  }),
  'claude-acp': (url) => ({
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, ...CLAUDE_QUIET },
    files: {},
  }),
  codex: (url, home) => ({
    env: { CODEX_HOME: path.join(home, '.codex'), SCRIPTED_API_KEY: KEY },
    files: { '.codex/config.toml': codexConfig(url) },
  }),
  gemini: (url) => ({
    // Left to choose, it asks another model for the right one first.
    env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: MODELS.gemini },
    files: { '.gemini/settings.json': JSON.stringify(GEMINI_SETTINGS, null, 2) },
  }),
  opencode: (url, home) => ({
    env: {
      OPENCODE_CONFIG: path.join(home, 'opencode.json'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: { 'opencode.json': JSON.stringify(opencodeConfig(url), null, 2) },
  }),
};

/**
 * Makes a home from which the program asks our model and nobody else, and gives the variables it needs besides PATH.
 * The home must not be under the temporary folder: codex refuses to put its sandbox helpers there and then runs
 * nothing, with exit code 0.
 */
export async function prepareHome(
  name: ProgramName,
  url: string,
  home: string,
): Promise<Record<string, string>> {
  const { env, files } = ENVIRONMENTS[name](url, home);
  for (const [file, content] of Object.entries(files)) {
    const full = path.join(home, file);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, content);
  }
  return { HOME: home, ...env };
}

function codexConfig(url: string): string {
  return `model = "${MODELS.codex}"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
stream_idle_timeout_ms = 20000
[analytics]
enabled = false
`;
}

const GEMINI_SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function opencodeConfig(url: string) {
  return {
    autoupdate: false,
    share: 'disabled',
    model: MODELS.opencode,
    small_model: MODELS.opencode,
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: {
          scripted: { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } },
        },
      },
    },
  };
}
