import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { AnswerInput } from '../../src/contract/answer.ts';
import { Config } from '../../src/contract/config.ts';
import { DeliverInput } from '../../src/contract/deliver.ts';
import { SpecInput } from '../../src/contract/spec.ts';
import { inputProblem, refuseInput } from '../../src/engine/refuse-input.ts';
import { translator } from '../support/texts.ts';

function issuesOf(schema: z.ZodType, raw: unknown): z.ZodError {
  const parsed = schema.safeParse(raw);
  if (parsed.success) throw new Error('was not refused');
  return parsed.error;
}

const EMPTY = 'must not be empty; give a value or leave it out.';

describe('a refused value is told with its option, itself and what is allowed, in our own words', () => {
  test.each<[string, z.ZodType, Record<string, unknown>, string]>([
    ['an empty scope', DeliverInput, { scope: [''] }, `--scope "": ${EMPTY}`],
    ['an empty command', DeliverInput, { lint_cmd: '' }, `--lint-cmd "": ${EMPTY}`],
    ['blanks only', DeliverInput, { type_check_cmd: '  ' }, `--type-check-cmd "  ": ${EMPTY}`],
    ['an empty spec', DeliverInput, { from_spec: '' }, `--from-spec "": ${EMPTY}`],
    [
      'too many globs',
      DeliverInput,
      { scope: Array(51).fill('a') },
      `--scope "[${'"a",'.repeat(19)}"a"…": must have at most 50 entries.`,
    ],
    [
      'a command without end',
      DeliverInput,
      { lint_cmd: 'x'.repeat(1_001) },
      `--lint-cmd "${'x'.repeat(80)}…": must have at most 1000 characters.`,
    ],
    [
      'a mode there is not',
      DeliverInput,
      { mode: 'deep' },
      '--mode "deep": not allowed. Allowed: single, standard, multi.',
    ],
    [
      'a field there is not',
      SpecInput,
      { task: 'x', colour: 'red' },
      '--colour "red": there is no such setting.',
    ],
    ['a task of the wrong kind', SpecInput, { task: 7 }, 'task "7": must be a text.'],
    [
      'a digest that is none',
      AnswerInput,
      { option: 'go', digest: 'abc' },
      'digest "abc": must have the form /^sha256:[0-9a-f]{64}$/.',
    ],
  ])('%s', (_name, schema, raw, message) => {
    const { message: said } = refuseInput(issuesOf(schema, raw), raw);
    expect(translator('en')(said)).toBe(message);
    expect(translator('ko')(said)).not.toMatch(/must|allowed/);
  });

  test('a value that contains itself is refused without being shown', () => {
    const raw: Record<string, unknown> = { task: 'x' };
    raw.colour = raw;
    const { message } = refuseInput(issuesOf(SpecInput, raw), raw);
    expect(translator('en')(message)).toBe('--colour "…": there is no such setting.');
  });

  test('a setting is named by its path', () => {
    const raw = { checks: { timeout_minutes: 0 } };
    expect(translator('en')(inputProblem(issuesOf(Config, raw), raw))).toBe(
      'checks.timeout_minutes "0": must be more than 0.',
    );
  });
});
