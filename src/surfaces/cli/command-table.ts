import { LANGUAGES } from '../../engine/language.ts';
import type { CommandDefinition, OptionDefinition } from './command-definition.ts';
import { TICKET_COMMANDS } from './ticket-table.ts';

/** The languages there are catalogues for. */
const SPOKEN: readonly string[] = ['en', 'ko'];
const UNSPOKEN = LANGUAGES.filter((lang) => !SPOKEN.includes(lang));
const RUN = { name: '<run>', says: 'id of a run, or the beginning of one' };
const NO_INPUT = { flags: '--no-input', says: 'never ask here; rest at the first gate (exit 4)' };

const LANG: OptionDefinition = {
  flags: '--lang <language>',
  says: `language to speak to you in; ${UNSPOKEN.join(', ')} are taken too, but spoken to in English yet`,
  allowed: SPOKEN,
  also: UNSPOKEN,
};

/** Options of every command that starts a run. */
const STARTING: readonly OptionDefinition[] = [
  {
    flags: '--agent <agent>',
    says: 'who does the work: an agent of baton.yaml, or one of those Baton knows',
  },
  { flags: '--score <file>', says: 'what the rehearsal agent plays' },
  { flags: '--in-place', says: 'work in this checkout instead of a branch of the run' },
  LANG,
  {
    flags: '--unattended',
    says: 'nobody is there: ask nothing here and rest at the first gate (exit 4); no gate is ever answered for you. A name that is taken gets a time stamp (spec); another run in the same folder is a refusal (deliver)',
  },
  NO_INPUT,
];

/** Every command, in the order `--help` shows them. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'spec',
    says: 'turn an idea into an approved specification',
    args: [{ name: '<task...>', says: 'what you want, in your own words' }],
    options: [
      {
        flags: '--mode <mode>',
        says: 'quick: one writer; deep: analysts, synthesis, critic',
        allowed: ['quick', 'deep'],
      },
      {
        flags: '--model-config <preset>',
        says: 'models of a deep run: a preset, or executor:<m>,advisor:<m>',
      },
      { flags: '--reference <file>', says: 'conventions to follow, a .md or .txt file of this folder' },
      ...STARTING,
    ],
    load: async () => (await import('./commands/spec.ts')).spec,
  },
  {
    name: 'deliver',
    alias: 'workflow',
    says: 'turn one task into a verified, committed change',
    args: [
      {
        name: '[words...]',
        says: 'the task; or plan <task>, generate, verify, evaluate for one step at a time; or nothing, to see where it stands',
      },
    ],
    options: [
      {
        flags: '--mode <mode>',
        says: 'single: one planner; standard: two specialists; multi: three and their critiques',
        allowed: ['single', 'standard', 'multi'],
      },
      {
        flags: '--model-config <preset>',
        says: 'default, all-opus, balanced, economy, or executor:<m>,advisor:<m>,evaluator:<m>',
      },
      {
        flags: '--from-spec <spec>',
        says: 'an approved spec run, the folder of its documents, or a file you approved',
      },
      {
        flags: '--scope <globs>',
        says: 'only these paths may change; commas between, may be repeated',
        many: true,
      },
      { flags: '--output-dir <dir>', says: 'where the documents go; docs/<namespace> otherwise' },
      { flags: '--lint-cmd <command>', says: 'the lint command, instead of the one found' },
      { flags: '--type-check-cmd <command>', says: 'the type check command, instead of the one found' },
      {
        flags: '--verifier-model <model>',
        says: 'who shortens logs for people; it decides nothing',
        allowed: ['haiku', 'sonnet', 'opus'],
      },
      { flags: '--todo-blocking', says: 'TODO, FIXME and HACK in changed files fail the checks' },
      { flags: '--run <run>', says: 'which run a step is for, when several are live' },
      ...STARTING,
    ],
    load: async () => (await import('./commands/deliver.ts')).deliver,
  },
  {
    name: 'approve',
    says: 'approve a specification written by hand, so that deliver can start from it',
    args: [{ name: '<file>', says: 'a Markdown file of this folder' }],
    options: [LANG, NO_INPUT],
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    name: 'conduct',
    says: 'drive a ticket through its gates, from where it stands',
    args: [{ name: '[ticket]', says: 'B-12, 12, or its UUID' }],
    options: [
      { flags: '--pause-at [gate]', says: 'accept for me what comes before this gate, and wait there' },
      {
        flags: '--unattended',
        says: 'accept for me up to release; risks, release and verify still wait for you',
      },
      { flags: '--escalate', says: 'like --unattended, but what is judged worth your opinion waits for you' },
      {
        flags: '--one-shot',
        says: 'end at the first pause instead of keeping the mode open for your answer',
      },
      { flags: '--plan', says: 'only say what would happen at each gate, and why' },
      { flags: '--children', says: 'conduct the children of this ticket, in their order' },
      { flags: '--inherit', says: 'with --children: the children get the mode given here' },
      { flags: '--at-once <n>', says: 'with --children: how many at the same time; 1 otherwise' },
      NO_INPUT,
    ],
    load: async () => (await import('./commands/conduct.ts')).conduct,
  },
  {
    name: 'status',
    says: 'what waits for whom, and the next command',
    args: [{ name: '[run]', says: RUN.says }],
    options: [],
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'list',
    says: 'the runs of this folder',
    args: [],
    options: [{ flags: '--all', says: 'ended and withdrawn runs too' }],
    load: async () => (await import('./commands/list.ts')).list,
  },
  {
    name: 'gates',
    says: 'the open questions, in full',
    args: [{ name: '[run]', says: RUN.says }],
    options: [],
    load: async () => (await import('./commands/gates.ts')).gates,
  },
  {
    name: 'answer',
    says: 'answer a gate; without an option, see it and choose',
    args: [
      { name: '<gate>', says: 'id of a gate, or of a run with one open gate' },
      { name: '[option]', says: 'number, key or label of an option' },
    ],
    options: [
      { flags: '--text <text>', says: 'the text that goes with the option' },
      { flags: '--field <id=value>', says: 'answer to one question of a form; may be repeated', many: true },
      { flags: '--digest <digest>', says: 'answer only if the gate still shows exactly this' },
      { flags: '--typed <text>', says: 'what a gate of class hard asks to type' },
      { flags: '--no-drive', says: 'only record the answer; do not carry the run on' },
      NO_INPUT,
    ],
    load: async () => (await import('./commands/answer.ts')).answer,
  },
  {
    name: 'resume',
    says: 'go on with a run',
    args: [RUN],
    options: [
      { flags: '--reopen', says: 'ask the questions again; your answers are kept' },
      { flags: '--restart', says: 'start over with the same task' },
      { flags: '--abandon', says: 'give the run up; its history stays' },
      {
        flags: '--wipe',
        says: 'ask whether to remove the whole documents folder of all runs (in your own folder only)',
      },
      {
        flags: '--agent <name>',
        says: 'go on with this agent, and with agents and roles as baton.yaml says them now',
      },
      NO_INPUT,
    ],
    load: async () => (await import('./commands/resume.ts')).resume,
  },
  {
    name: 'stop',
    says: 'halt a run where it stands',
    args: [RUN],
    options: [],
    load: async () => (await import('./commands/stop.ts')).stop,
  },
  {
    name: 'log',
    says: 'everything that happened in a run',
    args: [RUN],
    options: [{ flags: '--call <n>', says: 'entry n with all that came in and all it changed' }],
    load: async () => (await import('./commands/log.ts')).log,
  },
  {
    name: 'show',
    says: 'the documents of a run',
    args: [RUN, { name: '[artefact]', says: 'name or file of one document' }],
    options: [],
    load: async () => (await import('./commands/show.ts')).show,
  },
  ...TICKET_COMMANDS,
  {
    name: 'decisions',
    says: 'what was decided in this project, by tickets and by people',
    args: [
      { name: '[action]', says: 'list (without one), show, record, supersede or link' },
      {
        name: '[words...]',
        says: 'show <id>; record <title>; supersede <id> [title], without a title it is retired; link <ticket> <id>',
      },
    ],
    options: [
      { flags: '--domain <domain>', says: 'of this domain; may be repeated', many: true },
      { flags: '--type <type>', says: 'of this type: architecture, business, convention, ...' },
      { flags: '--status <status>', says: 'with this status: Asserted, Accepted, Superseded or Archived' },
      { flags: '--search <words>', says: 'list: with any of these words in title or text, best first' },
      { flags: '--ticket <ticket>', says: 'list: those a ticket rests on' },
      { flags: '--limit <n>', says: 'list: at most so many (50)' },
      { flags: '--body <text>', says: 'record, supersede: the text' },
      { flags: '--review-by <date>', says: 'record: when to look at it again, as 2026-12-31' },
      { flags: '--source <source>', says: 'record: where it comes from (manual)' },
    ],
    load: async () => (await import('./commands/decisions.ts')).decisions,
  },
  {
    name: 'trust',
    says: 'how far drives may act for you in this workspace; with a level, set it',
    args: [{ name: '[level]', says: 'cautious, balanced or autonomous' }],
    options: [],
    load: async () => (await import('./commands/settings.ts')).trust,
  },
  {
    name: 'project',
    says: 'mode, ticket key and trust of this project; with a mode, set it',
    args: [{ name: '[mode]', says: 'opinionated or manual' }],
    options: [],
    load: async () => (await import('./commands/settings.ts')).project,
  },
  {
    name: 'doctor',
    says: 'check the store',
    args: [],
    options: [{ flags: '--deep', says: 'rebuild every run from its log and compare' }],
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'agents',
    says: 'which coding agents there are, and what each can do',
    args: [],
    options: [],
    load: async () => (await import('./commands/agents.ts')).agents,
  },
  {
    name: 'init',
    says: 'write a baton.yaml with the defaults',
    args: [],
    options: [],
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'demo',
    says: 'how to see a whole run in a minute, with no agent and no account',
    args: [],
    options: [],
    load: async () => (await import('./commands/demo.ts')).demo,
  },
];
