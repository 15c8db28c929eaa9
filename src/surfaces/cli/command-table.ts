import { LANGUAGES, SPOKEN, spokenLang } from '../../contract/lang.ts';
import type { Command } from './context.ts';
import type { HelpId } from './words.ts';

/** An option with more than its text in `--help`. */
interface OptionDetails {
  readonly says: HelpId;
  /** The only allowed values. Any other value is a usage error that lists them. */
  readonly allowed?: readonly string[];
  /** Values that are also accepted but are not listed as choices. */
  readonly also?: readonly string[];
  /** May be given several times. */
  readonly many?: true;
}

/** Options by their form: `--json`, `-v, --version`, `--mode <mode>`, `--pause-at [gate]`. */
type OptionTable = Readonly<Record<string, HelpId | OptionDetails>>;

export interface CommandDefinition {
  /** Also the id of its text in `--help`. */
  readonly name: HelpId;
  /** Another name for the same command. */
  readonly alias?: string;
  /** By their form: `<run>`, `[option]`, `<task...>`. */
  readonly args?: Readonly<Record<string, HelpId>>;
  readonly options?: OptionTable;
  /** Loaded only when the command is used, so that start-up stays fast. */
  readonly load: () => Promise<Command>;
}

/** One option as the parser and `--help` need it. */
export interface OptionDefinition extends OptionDetails {
  /** As in the table. */
  readonly form: string;
  /** `--mode` without the dashes: the key of its value. */
  readonly name: string;
  readonly short: string | undefined;
  readonly value: 'none' | 'required' | 'optional';
}

/** The options of a table in full, in its order. */
function optionsOf(table: OptionTable = {}): OptionDefinition[] {
  return Object.entries(table).map(([form, details]) => {
    const [, short, name = '', value] = /^(?:-(\w), )?--([\w-]+)(?: ([<[]).*)?$/.exec(form) ?? [];
    const kind = value === '<' ? 'required' : value === '[' ? 'optional' : 'none';
    return { form, name, short, value: kind, ...(typeof details === 'string' ? { says: details } : details) };
  });
}

/** The options of every command. */
export const GLOBAL = optionsOf({ '--json': 'json', '--no-color': 'no_color', '-v, --version': 'version' });
const HELP = optionsOf({ '-h, --help': 'help' });

/** The options of one command, or of `baton` itself. `--help` is the last one. */
export function ownOptions(definition: CommandDefinition | undefined): OptionDefinition[] {
  return [...(definition ? optionsOf(definition.options) : GLOBAL), ...HELP];
}

const UNSPOKEN = LANGUAGES.filter((lang) => spokenLang(lang) !== lang);
const LANG: OptionTable = { '--lang <language>': { says: 'lang', allowed: SPOKEN, also: UNSPOKEN } };
const NO_INPUT: OptionTable = { '--no-input': 'no_input' };

/** Options of every command that starts a run. */
const STARTING: OptionTable = {
  '--agent <agent>': 'agent',
  '--script <file>': 'script',
  '--in-place': 'in_place',
  ...LANG,
  '--unattended': 'unattended',
  ...NO_INPUT,
};

/** Every command, in the order `--help` shows them. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'spec',
    args: { '<task...>': 'spec.task' },
    options: {
      '--mode <mode>': { says: 'spec.mode', allowed: ['quick', 'deep'] },
      '--model-config <preset>': 'spec.model_config',
      '--reference <file>': 'spec.reference',
      ...STARTING,
    },
    load: async () => (await import('./commands/spec.ts')).spec,
  },
  {
    name: 'deliver',
    alias: 'workflow',
    args: { '[words...]': 'deliver.words' },
    options: {
      '--mode <mode>': { says: 'deliver.mode', allowed: ['single', 'standard', 'multi'] },
      '--model-config <preset>': 'deliver.model_config',
      '--from-spec <spec>': 'deliver.from_spec',
      '--scope <globs>': { says: 'deliver.scope', many: true },
      '--output-dir <dir>': 'deliver.output_dir',
      '--lint-cmd <command>': 'deliver.lint_cmd',
      '--type-check-cmd <command>': 'deliver.type_check_cmd',
      '--verifier-model <model>': { says: 'deliver.verifier_model', allowed: ['haiku', 'sonnet', 'opus'] },
      '--todo-blocking': 'deliver.todo_blocking',
      '--run <run>': 'deliver.run',
      ...STARTING,
    },
    load: async () => (await import('./commands/deliver.ts')).deliver,
  },
  {
    name: 'approve',
    args: { '<file>': 'approve.file' },
    options: { ...LANG, ...NO_INPUT },
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    name: 'conduct',
    args: { '[ticket]': 'conduct.ticket' },
    options: {
      '--pause-at [gate]': 'conduct.pause_at',
      '--unattended': 'conduct.unattended',
      '--escalate': 'conduct.escalate',
      '--one-shot': 'conduct.one_shot',
      '--plan': 'conduct.plan',
      '--children': 'conduct.children',
      '--inherit': 'conduct.inherit',
      '--at-once <n>': 'conduct.at_once',
      ...NO_INPUT,
    },
    load: async () => (await import('./commands/conduct.ts')).conduct,
  },
  {
    name: 'status',
    args: { '[run]': 'run' },
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'list',
    options: { '--all': 'list.all' },
    load: async () => (await import('./commands/list.ts')).list,
  },
  {
    name: 'gates',
    args: { '[run]': 'run' },
    load: async () => (await import('./commands/gates.ts')).gates,
  },
  {
    name: 'answer',
    args: { '<gate>': 'answer.gate', '[option]': 'answer.option' },
    options: {
      '--text <text>': 'answer.text',
      '--field <id=value>': { says: 'answer.field', many: true },
      '--digest <digest>': 'answer.digest',
      '--typed <text>': 'answer.typed',
      '--code <code>': 'answer.code',
      '--no-drive': 'answer.no_drive',
      ...NO_INPUT,
    },
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  {
    name: 'resume',
    args: { '<run>': 'run' },
    options: {
      '--reopen': 'resume.reopen',
      '--restart': 'resume.restart',
      '--abandon': 'resume.abandon',
      '--wipe': 'resume.wipe',
      '--agent <name>': 'resume.agent',
      '--code <code>': 'answer.code',
      ...NO_INPUT,
    },
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    name: 'stop',
    args: { '<run>': 'run' },
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'log',
    args: { '<run>': 'run' },
    options: { '--call <n>': 'log.call' },
    load: async () => (await import('./commands/log.ts')).log,
  },
  {
    name: 'show',
    args: { '<run>': 'run', '[artefact]': 'show.artefact' },
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'ticket',
    args: { '[action]': 'ticket.action', '[words...]': 'ticket.words' },
    options: {
      '--title <title>': 'ticket.title',
      '--description <text>': 'ticket.description',
      '--priority <priority>': 'ticket.priority',
      '--label <label>': { says: 'ticket.label', many: true },
      '--script <file>': 'ticket.script',
      '--state <state>': 'ticket.state',
      '--all': 'ticket.all',
      '--limit <n>': 'ticket.limit',
      '--add <text>': { says: 'ticket.add', many: true },
      '--remove <text>': { says: 'ticket.remove', many: true },
      '--set <id=text>': { says: 'ticket.set', many: true },
      '--why <text>': 'ticket.why',
      '--to <gate>': 'ticket.to',
      '--fate <ticket=fate>': { says: 'ticket.fate', many: true },
      '--required <tracks>': 'ticket.required',
      '--class <class>': 'ticket.class',
    },
    load: async () => (await import('./commands/ticket.ts')).ticket,
  },
  { name: 'queue', load: async () => (await import('./commands/queue.ts')).queue },
  { name: 'next', load: async () => (await import('./commands/queue.ts')).next },
  { name: 'stats', load: async () => (await import('./commands/queue.ts')).stats },
  {
    name: 'call',
    args: { '<operation>': 'call.operation', '[json]': 'call.json' },
    load: async () => (await import('./commands/call.ts')).call,
  },
  {
    name: 'decisions',
    args: { '[action]': 'decisions.action', '[words...]': 'decisions.words' },
    options: {
      '--domain <domain>': { says: 'decisions.domain', many: true },
      '--type <type>': 'decisions.type',
      '--status <status>': 'decisions.status',
      '--search <words>': 'decisions.search',
      '--ticket <ticket>': 'decisions.ticket',
      '--limit <n>': 'decisions.limit',
      '--body <text>': 'decisions.body',
      '--review-by <date>': 'decisions.review_by',
      '--source <source>': 'decisions.source',
    },
    load: async () => (await import('./commands/decisions.ts')).decisions,
  },
  {
    name: 'trust',
    args: { '[level]': 'trust.level' },
    load: async () => (await import('./commands/settings.ts')).trust,
  },
  {
    name: 'project',
    args: { '[mode]': 'project.mode' },
    load: async () => (await import('./commands/settings.ts')).project,
  },
  {
    name: 'doctor',
    options: { '--deep': 'doctor.deep', '--repair': 'doctor.repair' },
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'clean',
    options: { '--branches': 'clean.branches', ...NO_INPUT },
    load: async () => (await import('./commands/clean.ts')).clean,
  },
  { name: 'agents', load: async () => (await import('./commands/agents.ts')).agents },
  { name: 'init', load: async () => (await import('./commands/init.ts')).init },
  { name: 'demo', load: async () => (await import('./commands/demo.ts')).demo },
];
