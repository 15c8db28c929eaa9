import { LANGUAGES, SPOKEN, spokenLang } from '../../contract/lang.ts';
import type { CommandDefinition, OptionDefinition } from './command-definition.ts';
import { TICKET_COMMANDS } from './ticket-table.ts';

const UNSPOKEN = LANGUAGES.filter((lang) => spokenLang(lang) !== lang);
const RUN = { name: '<run>', says: 'run' } as const;
const NO_INPUT: OptionDefinition = { flags: '--no-input', says: 'no_input' };

const CODE: OptionDefinition = { flags: '--code <code>', says: 'answer.code' };
const LANG: OptionDefinition = {
  flags: '--lang <language>',
  says: 'lang',
  allowed: SPOKEN,
  also: UNSPOKEN,
};

/** Options of every command that starts a run. */
const STARTING: readonly OptionDefinition[] = [
  {
    flags: '--agent <agent>',
    says: 'agent',
  },
  { flags: '--script <file>', says: 'script' },
  { flags: '--in-place', says: 'in_place' },
  LANG,
  {
    flags: '--unattended',
    says: 'unattended',
  },
  NO_INPUT,
];

/** Every command, in the order `--help` shows them. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'spec',
    says: 'spec',
    args: [{ name: '<task...>', says: 'spec.task' }],
    options: [
      {
        flags: '--mode <mode>',
        says: 'spec.mode',
        allowed: ['quick', 'deep'],
      },
      {
        flags: '--model-config <preset>',
        says: 'spec.model_config',
      },
      { flags: '--reference <file>', says: 'spec.reference' },
      ...STARTING,
    ],
    load: async () => (await import('./commands/spec.ts')).spec,
  },
  {
    name: 'deliver',
    alias: 'workflow',
    says: 'deliver',
    args: [
      {
        name: '[words...]',
        says: 'deliver.words',
      },
    ],
    options: [
      {
        flags: '--mode <mode>',
        says: 'deliver.mode',
        allowed: ['single', 'standard', 'multi'],
      },
      {
        flags: '--model-config <preset>',
        says: 'deliver.model_config',
      },
      {
        flags: '--from-spec <spec>',
        says: 'deliver.from_spec',
      },
      {
        flags: '--scope <globs>',
        says: 'deliver.scope',
        many: true,
      },
      { flags: '--output-dir <dir>', says: 'deliver.output_dir' },
      { flags: '--lint-cmd <command>', says: 'deliver.lint_cmd' },
      { flags: '--type-check-cmd <command>', says: 'deliver.type_check_cmd' },
      {
        flags: '--verifier-model <model>',
        says: 'deliver.verifier_model',
        allowed: ['haiku', 'sonnet', 'opus'],
      },
      { flags: '--todo-blocking', says: 'deliver.todo_blocking' },
      { flags: '--run <run>', says: 'deliver.run' },
      ...STARTING,
    ],
    load: async () => (await import('./commands/deliver.ts')).deliver,
  },
  {
    name: 'approve',
    says: 'approve',
    args: [{ name: '<file>', says: 'approve.file' }],
    options: [LANG, NO_INPUT],
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    name: 'conduct',
    says: 'conduct',
    args: [{ name: '[ticket]', says: 'conduct.ticket' }],
    options: [
      { flags: '--pause-at [gate]', says: 'conduct.pause_at' },
      {
        flags: '--unattended',
        says: 'conduct.unattended',
      },
      { flags: '--escalate', says: 'conduct.escalate' },
      {
        flags: '--one-shot',
        says: 'conduct.one_shot',
      },
      { flags: '--plan', says: 'conduct.plan' },
      { flags: '--children', says: 'conduct.children' },
      { flags: '--inherit', says: 'conduct.inherit' },
      { flags: '--at-once <n>', says: 'conduct.at_once' },
      NO_INPUT,
    ],
    load: async () => (await import('./commands/conduct.ts')).conduct,
  },
  {
    name: 'status',
    says: 'status',
    args: [{ name: '[run]', says: RUN.says }],
    options: [],
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'list',
    says: 'list',
    args: [],
    options: [{ flags: '--all', says: 'list.all' }],
    load: async () => (await import('./commands/list.ts')).list,
  },
  {
    name: 'gates',
    says: 'gates',
    args: [{ name: '[run]', says: RUN.says }],
    options: [],
    load: async () => (await import('./commands/gates.ts')).gates,
  },
  {
    name: 'answer',
    says: 'answer',
    args: [
      { name: '<gate>', says: 'answer.gate' },
      { name: '[option]', says: 'answer.option' },
    ],
    options: [
      { flags: '--text <text>', says: 'answer.text' },
      { flags: '--field <id=value>', says: 'answer.field', many: true },
      { flags: '--digest <digest>', says: 'answer.digest' },
      { flags: '--typed <text>', says: 'answer.typed' },
      CODE,
      { flags: '--no-drive', says: 'answer.no_drive' },
      NO_INPUT,
    ],
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  {
    name: 'resume',
    says: 'resume',
    args: [RUN],
    options: [
      { flags: '--reopen', says: 'resume.reopen' },
      { flags: '--restart', says: 'resume.restart' },
      { flags: '--abandon', says: 'resume.abandon' },
      { flags: '--wipe', says: 'resume.wipe' },
      { flags: '--agent <name>', says: 'resume.agent' },
      CODE,
      NO_INPUT,
    ],
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    name: 'stop',
    says: 'stop',
    args: [RUN],
    options: [],
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'log',
    says: 'log',
    args: [RUN],
    options: [{ flags: '--call <n>', says: 'log.call' }],
    load: async () => (await import('./commands/log.ts')).log,
  },
  {
    name: 'show',
    says: 'show',
    args: [RUN, { name: '[artefact]', says: 'show.artefact' }],
    options: [],
    load: async () => (await import('./commands/show.ts')).show,
  },
  ...TICKET_COMMANDS,
  {
    name: 'decisions',
    says: 'decisions',
    args: [
      { name: '[action]', says: 'decisions.action' },
      {
        name: '[words...]',
        says: 'decisions.words',
      },
    ],
    options: [
      { flags: '--domain <domain>', says: 'decisions.domain', many: true },
      { flags: '--type <type>', says: 'decisions.type' },
      { flags: '--status <status>', says: 'decisions.status' },
      { flags: '--search <words>', says: 'decisions.search' },
      { flags: '--ticket <ticket>', says: 'decisions.ticket' },
      { flags: '--limit <n>', says: 'decisions.limit' },
      { flags: '--body <text>', says: 'decisions.body' },
      { flags: '--review-by <date>', says: 'decisions.review_by' },
      { flags: '--source <source>', says: 'decisions.source' },
    ],
    load: async () => (await import('./commands/decisions.ts')).decisions,
  },
  {
    name: 'trust',
    says: 'trust',
    args: [{ name: '[level]', says: 'trust.level' }],
    options: [],
    load: async () => (await import('./commands/settings.ts')).trust,
  },
  {
    name: 'project',
    says: 'project',
    args: [{ name: '[mode]', says: 'project.mode' }],
    options: [],
    load: async () => (await import('./commands/settings.ts')).project,
  },
  {
    name: 'doctor',
    says: 'doctor',
    args: [],
    options: [
      { flags: '--deep', says: 'doctor.deep' },
      { flags: '--repair', says: 'doctor.repair' },
    ],
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'clean',
    says: 'clean',
    args: [],
    options: [{ flags: '--branches', says: 'clean.branches' }, NO_INPUT],
    load: async () => (await import('./commands/clean.ts')).clean,
  },
  {
    name: 'agents',
    says: 'agents',
    args: [],
    options: [],
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  {
    name: 'init',
    says: 'init',
    args: [],
    options: [],
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'demo',
    says: 'demo',
    args: [],
    options: [],
    load: async () => (await import('./commands/demo.ts')).demo,
  },
];
