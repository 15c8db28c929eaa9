import * as z from 'zod';
import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { type CheckRow, type LostTests, type Report, SHOWN } from '../../contract/deliver-report.ts';
import type { CheckResult, TestCounts } from '../../contract/outcome.ts';
import { warn } from '../../engine/messages.ts';
import { oneLine } from './moves.ts';

/** One thing a check lost compared with the untouched tree, as it is shown and stored in the evidence. */
export const WeakenedCheck = z.discriminatedUnion('what', [
  z.object({
    what: z.enum(['gone', 'skipped']),
    check: z.string(),
    n: z.int(),
    /** The first of them by name. Empty if the tool does not name its tests. */
    tests: z.array(z.string()),
    added: z.int(),
  }),
  z.object({ what: z.literal('unknown'), check: z.string(), readable: z.boolean() }),
  z.object({ what: z.literal('redefined'), check: z.string(), before: z.string(), now: z.string() }),
]);
export type WeakenedCheck = z.infer<typeof WeakenedCheck>;

/** Compares one result with that of the untouched tree: its tests, and what its command means. */
export function weakenedCheck(
  state: DeliverState,
  now: CheckResult | undefined,
): Pick<CheckRow, 'lost' | 'redefined'> {
  if (!now || (now.result !== 'pass' && now.result !== 'fail')) return {};
  const before = state.checks.baseline?.find(({ name }) => name === now.name);
  const lost = lostTests(now, before);
  const changed = before?.ran !== undefined && now.ran !== undefined && before.ran !== now.ran;
  return {
    ...(lost && { lost }),
    ...(changed && { redefined: { before: shortLine(before?.ran), now: shortLine(now.ran) } }),
  };
}

type Before = NonNullable<DeliverState['checks']['baseline']>[number] | undefined;

/**
 * Compares by name if both sides name every test, else by number. Otherwise the loss is unknown. If the names were
 * known before, an equal number proves nothing: a test can print lines that hide which ones ran.
 */
function lostTests(now: CheckResult, before: Before): LostTests | null {
  if (now.compared) return lostByName(now.compared);
  if (before?.counts && now.counts) {
    const hidden = before.names !== undefined && now.names === undefined;
    return lostByNumber(before.counts, now.counts) ?? (hidden ? { kind: 'unknown', readable: true } : null);
  }
  const isTest = now.name === 'test';
  return before?.counts || isTest ? { kind: 'unknown', readable: Boolean(before?.counts) } : null;
}

function lostByName(compared: NonNullable<CheckResult['compared']>): LostTests | null {
  const { gone, gone_total, skipped, skipped_total, added } = compared;
  if (gone_total + skipped_total === 0) return null;
  const listed = (names: readonly string[]) => names.slice(0, SHOWN.items).map((name) => oneLine(name));
  return {
    kind: 'named',
    gone: listed(gone),
    gone_total,
    skipped: listed(skipped),
    skipped_total,
    added,
  };
}

function lostByNumber(before: TestCounts, now: TestCounts): LostTests | null {
  const fewer = Math.max(0, before.passed + before.failed - now.passed - now.failed);
  const skipped = Math.max(0, now.skipped - before.skipped);
  return fewer + skipped === 0 ? null : { kind: 'counted', fewer, skipped };
}

/** The command itself is shown separately. This line holds what the command calls. */
function shortLine(text = ''): string {
  const called = text.split('\n').slice(1).join('; ').replace(/:; /g, ': ');
  return oneLine(called || text);
}

/** What one check of a report lost, part by part. */
export function weakenedParts({ name, lost, redefined }: CheckRow): WeakenedCheck[] {
  const part = (what: 'gone' | 'skipped', n: number, tests: readonly string[], added: number) =>
    n === 0 ? [] : [{ what, check: name, n, tests: [...tests], added }];
  const tests = (): WeakenedCheck[] => {
    switch (lost?.kind) {
      case 'named':
        return [
          ...part('gone', lost.gone_total, lost.gone, lost.added),
          ...part('skipped', lost.skipped_total, lost.skipped, 0),
        ];
      case 'counted':
        return [...part('gone', lost.fewer, [], 0), ...part('skipped', lost.skipped, [], 0)];
      case 'unknown':
        return [{ what: 'unknown', check: name, readable: lost.readable }];
      default:
        return [];
    }
  };
  return [...tests(), ...(redefined ? [{ what: 'redefined', check: name, ...redefined } as const] : [])];
}

/** The same for all checks of a report. */
export function weakenedChecks(report: Report | null): WeakenedCheck[] {
  return (report?.checks ?? []).flatMap(weakenedParts);
}

/** Output that never named or counted a test is shown, but does not count against the change. */
function isLoss(part: WeakenedCheck): boolean {
  return part.what !== 'unknown' || part.readable;
}

export function weakenedText(part: WeakenedCheck): Msg {
  const { check } = part;
  switch (part.what) {
    case 'redefined':
      return warn('engine.warn.redefined', { check, before: part.before, now: part.now });
    case 'unknown':
      return warn('engine.warn.tests_unknown', { check, readable: part.readable ? 'yes' : 'no' });
    default: {
      const { n, tests, added, what } = part;
      if (tests.length === 0) return warn('engine.warn.tests_counted', { check, n, what });
      const names = tests.map((name) => `"${name}"`).join(', ');
      return warn('engine.warn.tests_named', { check, n, what, names, more: n - tests.length, added });
    }
  }
}

/** Warnings about what a change removed from the checks that should show that it works, one per loss. */
export function weakenedLines({
  checks: { report },
}: {
  readonly checks: Pick<DeliverState['checks'], 'report'>;
}): Msg[] {
  return weakenedChecks(report).filter(isLoss).map(weakenedText);
}

/** What cannot be determined about the checks, for the context of a gate. */
export function untoldLines({
  checks: { report },
}: {
  readonly checks: Pick<DeliverState['checks'], 'report'>;
}): Msg[] {
  return weakenedChecks(report)
    .filter((part) => !isLoss(part))
    .map(weakenedText);
}

/** The same in plain English for a worker's prompt and report. */
export function weakenedFacts(report: Report | null): string[] {
  return weakenedChecks(report)
    .filter(isLoss)
    .map((part) => {
      if (part.what === 'redefined')
        return `${part.check}: the command was changed. Before: ${part.before}. Now: ${part.now}.`;
      if (part.what === 'unknown') return `${part.check}: the output no longer says which tests ran.`;
      const { check, n, tests, what } = part;
      const happened = what === 'gone' ? 'no longer run' : 'now skipped';
      return `${check}: ${n} tests are ${happened}: ${tests.join(', ') || 'names unknown'}.`;
    });
}
