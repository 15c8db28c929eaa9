import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';

/** What is printed as the last line of `npm run bench -- --json`. Null: could not be measured here. */
export interface Figures {
  readonly ratios: Readonly<Record<Ratio, number | null>>;
  readonly answer_over_node_ms: number;
  readonly version_over_node_ms: number;
  readonly status_over_node_ms: number;
  readonly commits_per_transition: number;
}

export type Ratio =
  | 'one_at_a_time_vs_bare'
  | 'in_flight_16_vs_bare'
  | 'in_flight_16_lockstep_vs_bare'
  | 'vs_langgraph_full'
  | 'vs_langgraph_full_16'
  | 'step_10000_vs_10_p99'
  | 'step_10000_vs_10_p50'
  | 'parked_10000_vs_100';

interface Bar {
  readonly what: string;
  readonly value: (figures: Figures) => number | null;
  readonly bar: string;
  readonly reached: (value: number) => boolean;
  readonly unit: string;
  /** Counted, not timed: the same on a busy machine. */
  readonly exact?: true;
}

const ratio = (what: string, name: Ratio, bar: number, better: 'more' | 'less'): Bar => ({
  what,
  value: ({ ratios }) => ratios[name],
  bar: `${better === 'more' ? '>=' : '<='} ${bar} x`,
  reached: (value) => (better === 'more' ? value >= bar : value <= bar),
  unit: ' x',
});

const over = (what: string, value: Bar['value'], most: number): Bar => ({
  what,
  value,
  bar: `<= ${most} ms`,
  reached: (ms) => ms <= most,
  unit: ' ms',
});

const BARS: readonly Bar[] = [
  ratio(
    'one run at a time against a bare loop of the same ten commits',
    'one_at_a_time_vs_bare',
    0.6,
    'more',
  ),
  ratio(
    '16 runs in flight, workers ending at different ticks, against it',
    'in_flight_16_vs_bare',
    2,
    'more',
  ),
  ratio('16 runs in lockstep against it', 'in_flight_16_lockstep_vs_bare', 3, 'more'),
  ratio('against LangGraph + SqliteSaver at full sync, one at a time', 'vs_langgraph_full', 4, 'more'),
  ratio('against the same, 16 in flight', 'vs_langgraph_full_16', 10, 'more'),
  ratio('step 10,000 of a run against step 10, p50', 'step_10000_vs_10_p50', 1.1, 'less'),
  ratio('step 10,000 of a run against step 10, p99', 'step_10000_vs_10_p99', 1.25, 'less'),
  ratio('`baton answer` with 10,000 parked runs against 100', 'parked_10000_vs_100', 1.1, 'less'),
  over('`baton answer` to the next gate, over bare Node', (f) => f.answer_over_node_ms, 100),
  over('`baton --version`, over bare Node', (f) => f.version_over_node_ms, 20),
  over('`baton status`, over bare Node', (f) => f.status_over_node_ms, 40),
  {
    what: 'commits per transition',
    value: (f) => f.commits_per_transition,
    bar: '1',
    reached: (value) => value === 1,
    unit: '',
    exact: true,
  },
];

const BUSY = `
**The machine was busy with other work, so nothing is judged here.** The bare loop mostly waits for the disk and Baton
mostly computes: a crowded disk slows the bare loop more and makes every ratio against it look better than it is. The
same code measured 0.11 and 0.66 one at a time within ten minutes, on a free and on a crowded disk. Milliseconds are
too long as well. Measure again on a quiet machine before quoting a figure.
`;

/** More work waiting than there are cores: what is measured then says little about Baton. */
export function isBusy({ load }: Pick<Circumstances, 'load'>): boolean {
  return load > cpus().length;
}

export interface Circumstances {
  readonly date: string;
  readonly langgraph: string;
  readonly seconds: number;
  /** Load average when it began: the work of others. */
  readonly load: number;
}

/** The page people read; written anew by every run of the benchmark. */
export function writePage(file: string, figures: Figures, now: Circumstances): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, page(figures, now));
}

/** The same table for the terminal. */
export function tableLines(figures: Figures, now: Circumstances): string[] {
  return BARS.map((bar) => {
    const value = bar.value(figures);
    return `${verdict(bar, value, now).padEnd(13)} ${shown(bar, value).padStart(9)}  bar ${bar.bar.padEnd(9)} ${bar.what}`;
  });
}

function page(figures: Figures, now: Circumstances): string {
  const rows = BARS.map((bar) => {
    const value = bar.value(figures);
    return `| ${bar.what} | ${bar.bar} | ${shown(bar, value)} | ${verdict(bar, value, now)} |`;
  });
  const cores = cpus();
  const machine = `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  return `# Performance

Measured by \`npm run bench\`, which writes this page. Ratios are medians unless said otherwise; what is compared is
run in turn, so that a slow moment of the machine meets all alike.

| what | bar | measured | |
|---|---|---|---|
${rows.join('\n')}

Machine: ${machine}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}; load
${now.load.toFixed(1)} of other work. Date: ${now.date}. The whole took ${Math.round(now.seconds)} s. LangGraph: ${now.langgraph}.
${isBusy(now) ? BUSY : ''}
## What is measured

The job has seven worker steps, a gate after the second and after the fifth, and results of about 400 bytes: ten
transitions, ten commits, each synced to disk before anybody is told.

- **Bare loop**: \`node:sqlite\`, one row and one event per transition, nothing else. It is the ceiling, not a product.
- **Baton**: the real store, runtime and API. The worker answers inside the process, so there are no processes to
  start or sweep, and the workspace has no tree to compare; everything else is what \`baton\` does.
- **LangGraph**: its SQLite saver with \`durability: 'sync'\` and full sync forced, in a process of its own under a
  Node its driver was built for.
- **Step 10,000**: two runs are driven through 10,000 steps; their next 2,000 steps are measured in turn with
  steps 6 to 16 of fresh runs.
- **Cold**: \`bin/baton.cjs\` with the built bundle and a warm compile cache. \`baton answer\` runs on a terminal made by
  \`script\`, answers the first gate of a \`spec\` run in a git repository and drives through two looks at it to the
  next gate; the bare Node it is compared with runs on such a terminal too. No worker is started on that way.
- **Commits** are counted in the write-ahead log itself.
`;
}

function shown(bar: Bar, value: number | null): string {
  return value === null ? '-' : `${Number(value.toFixed(2))}${bar.unit}`;
}

function verdict(bar: Bar, value: number | null, now: Circumstances): string {
  if (value === null) return 'not measured';
  if (isBusy(now) && !bar.exact) return 'not judged';
  return bar.reached(value) ? 'reached' : 'not reached';
}
