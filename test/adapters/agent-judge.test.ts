import { describe, expect, test } from 'vitest';
import { judge, judgeGone, parseReset } from '../../src/adapters/agent-process/judge.ts';

/** A Monday afternoon in winter. */
const NOW = new Date('2026-11-16T15:10:00.000Z');

describe('when a provider takes calls again', () => {
  test.each([
    ['Claude AI usage limit reached|1794845587', '2026-11-16T16:13:07.000Z'],
    ["You've hit your limit · resets 5pm (UTC)", '2026-11-16T17:00:00.000Z'],
    ["You've hit your limit · resets 5:30pm (America/New_York)", '2026-11-16T22:30:00.000Z'],
    ['5-hour limit reached ∙ resets 3am (UTC)', '2026-11-17T03:00:00.000Z'],
    ['resets 12am (UTC)', '2026-11-17T00:00:00.000Z'],
    ['Weekly limit · resets Nov 20 at 9am (Europe/Berlin)', '2026-11-20T08:00:00.000Z'],
    ['Weekly limit · resets Nov 20, 9am (UTC)', '2026-11-20T09:00:00.000Z'],
    ['or try again at Dec 9th, 2026 1:25 PM (UTC).', '2026-12-09T13:25:00.000Z'],
    ['Try again at 16:29 (UTC).', '2026-11-16T16:29:00.000Z'],
    ['Please try again in 2 days 3 hours 5 minutes.', '2026-11-18T18:15:00.000Z'],
    ['Suggested retry after 3600s.', '2026-11-16T16:10:00.000Z'],
    ['try again in 1h 20m', '2026-11-16T16:30:00.000Z'],
    ['try again in a moment', null],
    ['reached limit 5 of 5', null],
    ['resets 5pm (Middle/Earth)', null],
    ['', null],
  ])('%s', (words, until) => {
    expect(parseReset(words, NOW)).toBe(until);
  });
});

describe('what a complaint means', () => {
  test.each([
    [429, 'too many requests', 'limited'],
    [429, 'You exceeded your current quota, please check your plan and billing details', 'blocked'],
    [529, 'overloaded_error', 'limited'],
    [null, 'Selected model is at capacity. Please try a different model.', 'limited'],
    [null, 'exceeded retry limit, last status: 429 Too Many Requests', 'limited'],
    [401, 'no', 'blocked'],
    [null, 'Not logged in · Please run /login', 'blocked'],
    [503, 'Service Unavailable', 'unavailable'],
    [null, 'unexpected status 502 Bad Gateway', 'unavailable'],
    [null, 'error sending request for url', 'unavailable'],
    [404, 'no route', 'blocked'],
    [null, "There's an issue with the selected model (x). It may not exist.", 'blocked'],
    [400, "The 'x' model is not supported when using Codex with a ChatGPT account.", 'blocked'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'failed'],
    [null, 'something else', 'failed'],
  ] as const)('%s %s: %s', (status, words, outcome) => {
    expect(judge({ status, words, sign_in: 'sign in' }).outcome).toBe(outcome);
  });

  test('who is not signed in is told how, whose account is empty is told that', () => {
    expect(judge({ status: 401, words: 'no', sign_in: 'run x once' }).detail).toBe('no: run x once');
    expect(judge({ status: 402, words: 'no', sign_in: 'run x once' }).detail).toContain('needs money');
  });

  test('a program that is gone is judged by its exit and last words, where they tell', () => {
    const gone = (code: number | null, signal: string | null, words: string) =>
      judgeGone({ code, signal }, { words, sign_in: '' })?.outcome ?? null;
    expect(gone(143, null, '')).toBe('unavailable');
    expect(gone(1, null, 'Connection refused')).toBe('unavailable');
    expect(gone(1, null, 'error: unknown option')).toBeNull();
    expect(gone(0, null, 'Connection refused')).toBeNull();
    expect(gone(null, 'SIGKILL', '')).toBeNull();
  });
});
