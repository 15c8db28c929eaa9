import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Cold, measureCold } from './cold.ts';
import { type LongRun, measureLongRuns } from './long-run.ts';
import { installPeers, openLangGraph, type Peer } from './peer.ts';
import { type Figures, isBusy, tableLines, writePage } from './report.ts';
import { measureThroughput, type Throughput } from './throughput.ts';

const PAGE = fileURLToPath(new URL('../docs/guide/performance.md', import.meta.url));

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const say = (line: string) => process.stderr.write(`${line}\n`);

const started = Date.now();
const load = loadavg()[0] ?? 0;
const dir = mkdtempSync(path.join(tmpdir(), 'baton-bench-'));
try {
  const peer = await openPeer();
  const throughput = await measureThroughput(dir, peer.kind === 'ready' ? peer.peer : null);
  if (peer.kind === 'ready') await peer.peer.close();
  say(`bench: throughput done after ${seconds()} s`);
  const long = await measureLongRuns(dir);
  say(`bench: long runs done after ${seconds()} s`);
  const cold = measureCold(dir);
  const figures = toFigures(throughput, long, cold);
  const langgraph = peer.kind === 'ready' ? `under Node ${peer.peer.node}` : `not measured, ${peer.why}`;
  const date = new Date().toISOString().slice(0, 10);
  const now = { date, langgraph, seconds: seconds(), load };
  writePage(PAGE, figures, now);
  for (const line of tableLines(figures, now)) say(line);
  if (isBusy(now)) say(`bench: the machine was busy (load ${load.toFixed(1)}); these figures judge nothing`);
  say(`bench: done after ${seconds()} s; docs/guide/performance.md is written anew`);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function seconds(): number {
  return Math.round((Date.now() - started) / 1000);
}

async function openPeer(): Promise<{ kind: 'ready'; peer: Peer } | { kind: 'missing'; why: string }> {
  const refused = installPeers(say);
  const peer = refused ?? (await openLangGraph(path.join(dir, 'langgraph.db')));
  if (typeof peer !== 'string') return { kind: 'ready', peer };
  say(`bench: LangGraph is not measured: ${peer}`);
  return { kind: 'missing', why: peer };
}

function toFigures(t: Throughput, long: LongRun, cold: Cold): Figures {
  const times = (theirs: number | null, ours: number) => (theirs === null ? null : rounded(theirs / ours));
  return {
    ratios: {
      one_at_a_time_vs_bare: times(t.bare, t.baton),
      in_flight_16_vs_bare: times(t.bare, t.baton_16),
      in_flight_16_lockstep_vs_bare: times(t.bare, t.baton_16_lockstep),
      vs_langgraph_full: times(t.langgraph, t.baton),
      vs_langgraph_full_16: times(t.langgraph_16, t.baton_16),
      step_10000_vs_10_p99: rounded(long.p99),
      step_10000_vs_10_p50: rounded(long.p50),
      parked_10000_vs_100: times(cold.answer_10000, cold.answer_100),
    },
    answer_over_node_ms: rounded(cold.answer_10000 - cold.node_on_terminal),
    version_over_node_ms: rounded(cold.version - cold.node),
    status_over_node_ms: rounded(cold.status - cold.node),
    commits_per_transition: rounded(t.commits_per_transition),
  };
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
