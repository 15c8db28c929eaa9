import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { type Incidents, SHOWN } from '../../contract/deliver-report.ts';
import { cutText } from '../../engine/cut-text.ts';
import { warn } from '../../engine/messages.ts';
import { cleanWarnings, flakyLines } from './recheck.ts';
import { controlsChanged } from './touched.ts';
import { weakenedLines } from './weakened-checks.ts';

/**
 * How a warning changes the recommendation, strongest first: no commit, no commit but the person decides, low
 * confidence.
 */
const ADVICE = ['no_commit', 'ask', 'low'] as const;
type Advice = (typeof ADVICE)[number];

interface Warning {
  readonly advice: Advice;
  readonly says: (state: DeliverState) => readonly Msg[];
}

/**
 * Warnings that the commit gate shows first, most important first. The evidence lists the same ones, and a ticket's
 * build reports them to the release gate. Each id belongs to the engine, so that every workflow can show it.
 */
const WARNINGS: readonly Warning[] = [
  { advice: 'no_commit', says: secrets },
  { advice: 'no_commit', says: incident('refused', 'engine.warn.refused') },
  { advice: 'no_commit', says: incident('wrote', 'engine.warn.wrote') },
  { advice: 'no_commit', says: incident('left', 'engine.warn.left') },
  { advice: 'ask', says: weakenedLines },
  { advice: 'low', says: ({ checks: { report } }) => (report ? cleanWarnings(report) : []) },
  { advice: 'low', says: ({ checks: { report } }) => flakyLines(report?.checks ?? []) },
  { advice: 'low', says: incident('denied', 'engine.warn.denied') },
  { advice: 'low', says: altersChecks },
  { advice: 'low', says: hooksSkipped },
  { advice: 'low', says: controlsChanged },
];

export function warningsOf(state: DeliverState): Msg[] {
  return WARNINGS.flatMap(({ says }) => says(state));
}

/** The strongest advice of all warnings, or null if there are none. */
export function adviceOf(state: DeliverState): Advice | null {
  const open = WARNINGS.filter(({ says }) => says(state).length > 0);
  return ADVICE.find((one) => open.some(({ advice }) => advice === one)) ?? null;
}

/** Warns of a change that touches how it is checked. */
export function altersChecks({
  attempt: { changes },
}: {
  readonly attempt: Pick<DeliverState['attempt'], 'changes'>;
}): Msg[] {
  const files = changes?.alters_checks ?? [];
  return files.length === 0 ? [] : [warn('engine.warn.alters_checks', { files: cutList(files) })];
}

/**
 * Only a commit without a person and without a sandbox leaves out hooks. The next gate is then always a release gate.
 */
export function hooksSkipped({
  finish: { hooks_skipped: hooks = [] },
}: {
  readonly finish: Pick<DeliverState['finish'], 'hooks_skipped'>;
}): Msg[] {
  return hooks.length === 0 ? [] : [warn('engine.warn.hooks_skipped', { hooks: cutList(hooks) })];
}

function cutList(names: readonly string[]): string {
  return cutText(names.join(', '), SHOWN.characters);
}

/** Each text that looks like a secret, with its location. */
export function secrets({
  attempt: { changes },
}: {
  readonly attempt: Pick<DeliverState['attempt'], 'changes'>;
}): Msg[] {
  const { secrets: shown = [], secrets_total = 0 } = changes ?? {};
  const more = secrets_total - shown.length;
  return [
    ...shown.map(({ path, line, what }) => {
      const location = line === null ? path : `${path}:${line}`;
      return warn('engine.warn.secret', { what, location });
    }),
    ...(more > 0 ? [warn('engine.warn.secrets_more', { n: more })] : []),
  ];
}

function incident(kind: keyof Incidents, msg: Parameters<typeof warn>[0]): Warning['says'] {
  return ({ incidents }) => {
    const tally = incidents?.[kind];
    if (!tally) return [];
    const more = tally.n > tally.names.length ? ', …' : '';
    return [warn(msg, { n: tally.n, names: `${tally.names.join(', ')}${more}` })];
  };
}
