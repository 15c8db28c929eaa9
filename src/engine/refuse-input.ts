import type * as z from 'zod';
import type { Msg } from '../contract/brief.ts';
import { cutText } from './cut-text.ts';
import { nearest } from './nearest.ts';
import { type Rejection, reject } from './rejection.ts';

/** Fields that a person enters without an option. */
const BARE: ReadonlySet<string> = new Set(['task', 'title', 'path', 'input', 'option', 'digest']);
const SHOWN_VALUE = 80;

/** Refuses input that does not match its schema. The message names the option, the value and the allowed values. */
export function refuseInput(error: z.ZodError, raw: unknown): Rejection {
  const { args } = inputProblem(error, raw);
  const name = String(args.field).split('.')[0] ?? '';
  const option = BARE.has(name) ? name : `--${name.replaceAll('_', '-')}`;
  return reject('bad_input', { ...args, option });
}

/** The allowed names at a path of the input. */
type NamesAt = (path: readonly PropertyKey[]) => readonly string[];

/** The first problem of a value, as catalogue text. If a name is unknown, `names` lists the allowed ones. */
export function inputProblem(
  error: z.ZodError,
  raw: unknown,
  names?: NamesAt,
): Msg & { readonly args: NonNullable<Msg['args']> } {
  const issue = error.issues[0];
  if (!issue) return said({ field: 'input', value: '', problem: 'other', limit: '' });
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  return said({
    field: path.map(String).join('.') || 'input',
    value: shown(raw, path),
    ...ruleOf(issue, names),
  });
}

function said(args: Rule & Readonly<Record<'field' | 'value', string>>) {
  return { msg: 'engine.rejection.bad_input', args: { ...args, option: args.field } };
}

interface Rule {
  readonly problem: string;
  readonly limit: string;
  /** The name that was probably meant. Empty if none is close. */
  readonly near?: string;
}

/** The rule of the schema, without the validator's own text. */
function ruleOf(issue: z.core.$ZodIssue, names?: NamesAt): Rule {
  switch (issue.code) {
    case 'too_small':
      return Number(issue.minimum) === 1 && issue.origin !== 'number' && issue.origin !== 'int'
        ? { problem: 'empty', limit: '' }
        : { problem: issue.inclusive === false ? 'more_than' : 'at_least', limit: String(issue.minimum) };
    case 'too_big':
      return { problem: TOO_BIG[issue.origin] ?? 'at_most', limit: String(issue.maximum) };
    case 'invalid_value':
      return { problem: 'one_of', limit: issue.values.join(', ') };
    case 'invalid_key':
      return ruleOf(issue.issues[0] ?? { ...issue, code: 'custom' });
    case 'unrecognized_keys':
      return unknownName(issue.keys[0] ?? '', names?.(issue.path) ?? []);
    case 'invalid_type':
      return { problem: 'kind', limit: issue.expected };
    case 'invalid_format':
      return formOf(issue);
    default:
      return { problem: 'other', limit: issue.message };
  }
}

/** If the schema has its own message for a format, it is shown instead of the pattern. */
function formOf({ message, pattern, format }: z.core.$ZodIssueInvalidStringFormat): Rule {
  return message.startsWith('Invalid')
    ? { problem: 'form', limit: pattern ?? format }
    : { problem: 'other', limit: message };
}

function unknownName(name: string, allowed: readonly string[]): Rule {
  if (allowed.length === 0) return { problem: 'unknown', limit: '' };
  return { problem: 'unknown_of', limit: allowed.join(', '), near: nearest(name, allowed) ?? '' };
}

const TOO_BIG: Readonly<Partial<Record<string, string>>> = { string: 'too_long', array: 'too_many' };

function shown(raw: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : at),
    raw,
  );
  const text = typeof value === 'string' ? value : asJson(value);
  return text.length > SHOWN_VALUE ? `${cutText(text, SHOWN_VALUE)}…` : text;
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '…'; // a cyclic value has no text
  }
}
