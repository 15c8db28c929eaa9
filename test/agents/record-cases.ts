import type { Step } from '../support/model-server/script.ts';
import { MODELS } from './environments.ts';
import type { ProgramName } from './programs.ts';

/** What one run of a program is allowed and asked; every program has its own words for it. */
export interface Ask {
  /** `plain`: the program's own default, where a headless program refuses to write. */
  readonly access: 'write' | 'read' | 'plain';
  readonly schema?: object;
  readonly budget_usd?: number;
  /** As a subscriber, where the program tells limits of a plan in other words than those of a key. */
  readonly plan?: true;
  /** A session to go on with. */
  readonly session?: string;
}

export interface Case {
  readonly what: string;
  readonly ask: Ask;
  readonly steps: (tree: string) => readonly Step[];
  /** Sent to the program's process group once `until` is true. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** `shell`: the shell tool runs; `asked`: the last step was asked for. */
  readonly until?: 'shell' | 'asked';
  /** Afterwards the same session is taken up again, and that run is recorded too. */
  readonly resume?: boolean;
}

export const STARTED = 'shell-started';
const SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['pass', 'fail'] } },
  required: ['verdict'],
  additionalProperties: false,
};

const done: Step = { text: 'Done.' };
const write = (tree: string): Step => ({
  text: 'I write the file.',
  toolCalls: [{ write: { path: `${tree}/hello.txt`, content: 'hello\n' } }],
});
const shell: Step = { toolCalls: [{ shell: { command: `touch ${STARTED}; sleep 300` } }] };
const quick: Step = { toolCalls: [{ shell: { command: 'echo from-the-shell > shell.txt' } }] };
const fault = (fault: NonNullable<Step['fault']>) => () => [{ ...done, fault }];

export const CASES: Readonly<Record<string, Case>> = {
  success: { what: 'writes a file, says so', ask: { access: 'write' }, steps: (tree) => [write(tree), done] },
  shell: { what: 'runs a shell command', ask: { access: 'write' }, steps: () => [quick, done] },
  refused: { what: 'a write without leave', ask: { access: 'plain' }, steps: (tree) => [write(tree), done] },
  'read-only': {
    what: 'a write and a shell command that writes, of a reader',
    ask: { access: 'read' },
    steps: (tree) => [write(tree), quick, done],
  },
  outside: {
    what: 'a write outside the tree, of a writer',
    ask: { access: 'write' },
    steps: (tree) => [
      { toolCalls: [{ write: { path: `${tree}-beside/result.json`, content: '{"verdict":"pass"}\n' } }] },
      done,
    ],
  },
  structured: {
    what: 'a result that fits the schema',
    ask: { access: 'read', schema: SCHEMA },
    steps: () => [{ toolCalls: [{ structured: { value: { verdict: 'pass' } } }] }, done],
  },
  'structured-miss': {
    what: 'text where a result of a schema was wanted',
    ask: { access: 'read', schema: SCHEMA },
    steps: () => [{ text: 'I would rather not.' }],
  },
  'structured-wrong': {
    what: 'a result that does not fit the schema',
    ask: { access: 'read', schema: SCHEMA },
    steps: () => [{ toolCalls: [{ structured: { value: { verdict: 'perhaps' } } }] }, done],
  },
  'status-429': {
    what: 'rate limit, always, try again in 3600 s',
    ask: { access: 'write' },
    steps: fault({ kind: 'status', status: 429, retry_after_s: 3600 }),
  },
  'status-429-plan': {
    what: 'the plan is used up for 3600 s (the word is that of OpenAI)',
    ask: { access: 'write', plan: true },
    steps: fault({ kind: 'status', status: 429, retry_after_s: 3600, type: 'usage_limit_reached' }),
  },
  'status-429-once': {
    what: 'rate limit once, try again in 1 s',
    ask: { access: 'write' },
    steps: fault({ kind: 'status', status: 429, retry_after_s: 1, times: 1 }),
  },
  'status-529': {
    what: 'overloaded, always',
    ask: { access: 'write' },
    steps: fault({ kind: 'status', status: 529 }),
  },
  'status-500': {
    what: 'a server error, always',
    ask: { access: 'write' },
    steps: fault({ kind: 'status', status: 500 }),
  },
  'status-401': {
    what: 'a key that is refused',
    ask: { access: 'write' },
    steps: fault({ kind: 'status', status: 401 }),
  },
  cut: { what: 'the stream is cut, always', ask: { access: 'write' }, steps: fault({ kind: 'cut' }) },
  'cut-once': {
    what: 'the stream is cut once',
    ask: { access: 'write' },
    steps: fault({ kind: 'cut', times: 1 }),
  },
  malformed: {
    what: 'a broken piece in the stream',
    ask: { access: 'write' },
    steps: fault({ kind: 'malformed' }),
  },
  budget: {
    what: 'a budget of 0.001 USD, two steps',
    ask: { access: 'write', budget_usd: 0.001 },
    steps: (tree) => [write(tree), done],
  },
  'interrupt-shell': {
    what: 'SIGINT while the shell tool runs',
    ask: { access: 'write' },
    steps: () => [shell, done],
    signal: 'SIGINT',
    until: 'shell',
  },
  'terminate-shell': {
    what: 'SIGTERM while the shell tool runs',
    ask: { access: 'write' },
    steps: () => [shell, done],
    signal: 'SIGTERM',
    until: 'shell',
  },
  'interrupt-hang': {
    what: 'SIGINT while the model says nothing',
    ask: { access: 'write' },
    steps: fault({ kind: 'hang' }),
    signal: 'SIGINT',
    until: 'asked',
  },
  'terminate-hang': {
    what: 'SIGTERM while the model says nothing',
    ask: { access: 'write' },
    steps: fault({ kind: 'hang' }),
    signal: 'SIGTERM',
    until: 'asked',
  },
  'kill-resume': {
    what: 'SIGKILL after a write, then the session is taken up again',
    ask: { access: 'write' },
    steps: (tree) => [write(tree), { ...done, fault: { kind: 'hang', times: 1 } }],
    signal: 'SIGKILL',
    until: 'asked',
    resume: true,
  },
};

/** Files beside the tree that a command line names. */
export interface Files {
  readonly tree: string;
  readonly schema: string;
}

interface Command {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The command lines, prompt on stdin. */
export const COMMANDS: Readonly<
  Record<Exclude<ProgramName, 'claude-acp'>, (ask: Ask, files: Files) => Command>
> = {
  claude: ({ access, schema, budget_usd, session, plan }) => ({
    env: plan ? { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'not-a-secret' } : {},
    argv: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--model', MODELS.claude],
      ...['--setting-sources', '', '--strict-mcp-config', '--permission-prompts', 'none'],
      ...(access === 'write' ? ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'] : []),
      ...(access === 'read' ? ['--tools', 'Read,Glob,Grep', '--permission-mode', 'dontAsk'] : []),
      ...(schema ? ['--json-schema', JSON.stringify(schema)] : []),
      ...(budget_usd ? ['--max-budget-usd', String(budget_usd)] : []),
      ...(session ? ['--resume', session] : []),
    ],
  }),
  codex: ({ access, schema, session }, files) => ({
    argv: [
      ...['exec', '--json', '-C', files.tree],
      ...(access === 'plain' ? [] : ['--sandbox', access === 'write' ? 'workspace-write' : 'read-only']),
      ...(schema ? ['--output-schema', files.schema] : []),
      ...(session ? ['resume', session] : []),
      '-',
    ],
  }),
  gemini: ({ access, session }) => ({
    argv: [
      ...['-m', MODELS.gemini, '-o', 'stream-json', '--skip-trust'],
      ...(access === 'write' ? ['--approval-mode', 'yolo'] : []),
      ...(access === 'read' ? ['--approval-mode', 'plan'] : []),
      ...(session ? ['--resume', session] : []),
    ],
  }),
  opencode: ({ access, session }) => ({
    argv: [
      ...['run', '--format', 'json', '--model', MODELS.opencode],
      ...(session ? ['--session', session] : []),
    ],
    env: { OPENCODE_PERMISSION: JSON.stringify(OPENCODE_PERMISSIONS[access]) },
  }),
};

const OPENCODE_PERMISSIONS = {
  write: { edit: 'allow', bash: 'allow', external_directory: 'deny', webfetch: 'deny' },
  read: { edit: 'deny', bash: 'deny', external_directory: 'deny', webfetch: 'deny' },
  plain: { edit: 'ask', bash: 'ask', external_directory: 'ask' },
};
