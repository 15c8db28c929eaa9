import type { RiskClass } from '../contract/ticket.ts';

/** What stands between the words of a phrase: nothing, blanks, dashes, marks of Markdown. `login` is `log in`. */
const BETWEEN = String.raw`[\s_\p{Pd}*"'\x60]*`;
const LATIN = String.raw`\p{Script=Latin}`;
/** Inside `authToken` and `RLSPolicy` a word ends too. */
const HUMP = String.raw`(?-i:(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}))`;

/** A whole word or phrase, any case. Only Latin letters hold it together with its neighbour: `auth를` is `auth`. */
const whole = (phrase: string) =>
  `(?:(?<!${LATIN})|${HUMP})(?:${phrase.replaceAll(' ', BETWEEN)})(?:(?!${LATIN})|${HUMP})`;

/** Bare "token" is a word of parsers and gates too: it counts with one of these within 24 characters (CON-46). */
const NEAR_TOKEN = whole('auth|access|api|bearer|jwt|sessions?|refresh|csrf');
const TOKEN = `${whole('tokens?')}(?:(?<=${NEAR_TOKEN}[^]{0,24}tokens?)|(?=[^]{0,24}${NEAR_TOKEN}))`;

/**
 * Words per class (CON-42..44): what the word is called, and its pattern; a blank is BETWEEN. Where the requirement
 * names only the bare form, its plural counts as well, and so do the forms of a verb in a phrase: in doubt it trips.
 */
const WORDS: Readonly<Record<RiskClass, Readonly<Record<string, string>>>> = {
  auth: {
    auth: 'auth',
    authn: 'authn',
    authz: 'authz',
    authentication: 'authentication',
    authorization: 'authori[sz]ation',
    oauth: 'oauth',
    'log in': 'log ins?',
    logout: 'log outs?',
    'sign in': 'sign ins?',
    'sign out': 'sign outs?',
    session: 'sessions?',
    password: 'passwords?',
    credential: 'credentials?',
    rls: 'rls',
    'row level security': 'row level security',
    permission: 'permissions?',
    role: 'roles?',
    'access policy': 'access polic(?:y|ies)',
  },
  'data-migration': {
    migration: 'migrations?',
    schema: 'schemas?',
    'alter table': 'alter(?:s|ed|ing)? tables?',
    'add column': 'add(?:s|ed|ing)? columns?',
    'drop column': 'drop(?:s|ped|ping)? columns?',
    backfill: 'back fill(?:s|ed|ing)?',
  },
  'irreversible-destructive': {
    'drop table': 'drop(?:s|ped|ping)? tables?',
    'drop column': 'drop(?:s|ped|ping)? columns?',
    'drop database': 'drop(?:s|ped|ping)? databases?',
    'drop schema': 'drop(?:s|ped|ping)? schemas?',
    'drop index': 'drop(?:s|ped|ping)? ind(?:ex|exes|ices)',
    'drop constraint': 'drop(?:s|ped|ping)? constraints?',
    'delete from': 'delet(?:e[sd]?|ing) from',
    truncate: 'truncates?',
    irreversible: 'irreversible',
    'hard delete': 'hard delet(?:e[sd]?|ing)',
    purge: 'purg(?:e[sdr]?|ing)',
    destructive: 'destructive',
    unrecoverable: 'unrecoverable',
    'permanently delete': 'permanently delet(?:e[sd]?|ing)',
    'permanently remove': 'permanently remov(?:e[sd]?|ing)',
    'permanently destroy': 'permanently destroy(?:s|ed|ing)?',
  },
  'shared-core': { 'shared core': 'shared core' },
};

/** Path globs per class (CON-45); those of `shared-core` come with the project. */
export const RISK_GLOBS: Readonly<Record<RiskClass, readonly string[]>> = {
  auth: ['**/auth/**', '**/auth.{ts,tsx}', '**/*auth*.ts', '**/middleware/auth*', '**/rls/**'],
  'data-migration': ['**/{migration,migrations}/**', '**/*.sql'],
  'irreversible-destructive': [],
  'shared-core': [],
};

/** Label to class (CON-49), written as `labelName` gives it. */
export const RISK_LABELS: Readonly<Record<string, RiskClass>> = {
  auth: 'auth',
  'data-migration': 'data-migration',
  migration: 'data-migration',
  'irreversible-destructive': 'irreversible-destructive',
  irreversible: 'irreversible-destructive',
  destructive: 'irreversible-destructive',
  'shared-core': 'shared-core',
  core: 'shared-core',
};

export interface RiskWord {
  readonly class: RiskClass;
  readonly name: string;
  readonly pattern: RegExp;
}

const compile = (pattern: string) => new RegExp(pattern, 'giu');

export const RISK_WORDS: readonly RiskWord[] = [
  ...Object.entries(WORDS).flatMap(([name, words]) =>
    Object.entries(words).map(([word, phrase]) => ({
      class: name as RiskClass,
      name: word,
      pattern: compile(whole(phrase)),
    })),
  ),
  { class: 'auth', name: 'token', pattern: compile(TOKEN) },
];

/** The name of a project's module as a word of `shared-core`, taken literally. */
export function moduleWord(name: string): RiskWord {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return { class: 'shared-core', name, pattern: compile(whole(literal)) };
}
