import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { freshReport, type TestReport } from './test-report.ts';

// Which requirements and invariants have a test: an id counts when a test that carries it in its full name passed
// and none that carries it failed. `--slice A` counts only the lines with the mark {A} and omits a file without such lines.

type Source = { name: string; prefix: string; invariant: string };
type Test = TestReport['testResults'][number]['assertionResults'][number];
type Id = { id: string; kind: 'requirement' | 'invariant'; pattern: RegExp };
type Trace = {
  total: number;
  tested: number;
  invariants: number;
  invariantsTested: number;
  missing: string[];
};

const SOURCES: Source[] = [
  { name: 'spec', prefix: 'SP', invariant: 'INV' },
  { name: 'deliver', prefix: 'WF', invariant: 'INV' },
  { name: 'autopilot', prefix: 'AP', invariant: 'IV' },
  { name: 'conduct', prefix: 'CON', invariant: 'INV' },
  { name: 'task', prefix: 'TSK', invariant: 'I' },
];

const SLICES = ['A', 'B', 'C'];

const options = readOptions();
if (options) {
  const tests = freshReport().testResults.flatMap((file) => file.assertionResults);
  const traces = SOURCES.map(
    (source) => [source.name, traceSource(definedIds(source, options.slice), tests)] as const,
  ).filter(([, trace]) => !options.slice || trace.total + trace.invariants > 0);
  if (options.json) console.log(JSON.stringify(Object.fromEntries(traces)));
  else for (const [name, trace] of traces) printTrace(name, trace);
} else process.exitCode = 2;

/** The options of the command line; undefined, with the reason on stderr, if they are wrong. */
function readOptions(): { json: boolean; slice: string | undefined } | undefined {
  const allowed = `Allowed: --json, --slice ${SLICES.join('|')}`;
  try {
    const { values } = parseArgs({
      options: { json: { type: 'boolean', default: false }, slice: { type: 'string' } },
    });
    const { json, slice } = values;
    if (slice === undefined || SLICES.includes(slice)) return { json, slice };
    console.error(`"${slice}" is not a slice. ${allowed}`);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}. ${allowed}`);
  }
}

function traceSource(ids: Id[], tests: Test[]): Trace {
  const missing = new Set(ids.filter((id) => !isTested(id, tests)));
  const count = (kind: Id['kind']) => {
    const all = ids.filter((id) => id.kind === kind);
    return { all: all.length, tested: all.filter((id) => !missing.has(id)).length };
  };
  const requirements = count('requirement');
  const invariants = count('invariant');
  return {
    total: requirements.all,
    tested: requirements.tested,
    invariants: invariants.all,
    invariantsTested: invariants.tested,
    missing: [...missing].map(({ id }) => id),
  };
}

/**
 * The ids a requirement file defines: those it prints in bold, invariants with the file's prefix before them.
 * With a slice, only those followed by its mark.
 */
function definedIds({ name, prefix, invariant }: Source, slice: string | undefined): Id[] {
  const text = readFileSync(`docs/requirements/${name}.md`, 'utf8');
  const mark = slice ? ` \\{${slice}\\}` : '';
  const bold = (word: string) =>
    [...text.matchAll(new RegExp(`\\*\\*${word}-(\\d+)\\*\\*${mark}`, 'g'))].map((found) => found[1] ?? '');
  const define =
    (kind: Id['kind'], word: string) =>
    (number: string): Id => ({
      id: `${word}-${number}`,
      kind,
      pattern: new RegExp(`\\b${word}-0*${Number(number)}\\b`),
    });
  const ids = [
    ...bold(prefix).map(define('requirement', prefix)),
    ...bold(invariant).map(define('invariant', `${prefix} ${invariant}`)),
  ];
  return [...new Map(ids.map((id) => [id.id, id])).values()];
}

function isTested({ pattern }: Id, tests: Test[]): boolean {
  const carriers = tests.filter((test) => pattern.test(test.fullName));
  const statuses = new Set(carriers.map((test) => test.status));
  return statuses.has('passed') && !statuses.has('failed');
}

function printTrace(name: string, trace: Trace): void {
  const part = (tested: number, all: number) => `${tested}/${all}`.padStart(8);
  console.log(
    `${name.padEnd(10)} requirements ${part(trace.tested, trace.total)}   invariants ${part(trace.invariantsTested, trace.invariants)}`,
  );
  if (trace.missing.length > 0) console.log(`  no passing test: ${trace.missing.join(', ')}`);
}
