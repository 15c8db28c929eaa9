import { describe, expect, test } from 'vitest';
import { DELIVER_PHASES } from '../../../src/contract/deliver.ts';
import { command, type PureRun } from '../../support/pure-run.ts';
import { begin, keyOf, stateOf } from './fixture.ts';
import { type Happening, happen, happenings, isGivingUp } from './histories.ts';

interface Edge {
  readonly name: string;
  readonly answer: boolean;
  readonly to: string;
}

/** A kind of state: what decides about the next steps, without texts and hashes. */
function kindOf(run: PureRun): string {
  const s = stateOf(run);
  const end = [s.phase, s.halted?.kind, s.docs_due, s.ended?.result, s.has_git];
  const finishing = [
    s.completion_reason,
    s.finish?.stage,
    s.finish?.choice,
    s.finish_error !== null,
    s.pass_due,
  ];
  if (s.phase === 'completed') return JSON.stringify([...end, ...finishing]);
  return JSON.stringify([
    ...end,
    [s.setup?.stage, s.prepare, s.convention_stage?.at, s.run_style, s.was_idle, s.round],
    [s.verify.layer1_result, s.verify.layer1_retries, s.verify.layer2_retries, s.autofix?.applied],
    [s.proposal !== null, s.pass, s.pass_due, s.stalled, s.early, s.waiver !== null, s.qa?.verdict],
    [s.repair?.layer, s.repair?.done, s.based, s.notes !== null, s.revising, s.approval !== null],
    [s.report?.error?.split(':')[0], s.changes?.outside.length],
  ]);
}

/** One of each kind: what differs only in its words leads to the same kinds of states. */
const WORDS =
  /variant 2|parse_failed|by name|lint|build|gone|change_set 2|project 1|handover 1|conventions [123]|path_violation|missing|taken/;

/** A run without its past, so that a long walk stays cheap. */
const lean = (run: PureRun): PureRun => ({ ...run, records: [], states: [run.state], steps: [run.step] });

/** Rounds 2 and 3 differ only in that none follows the last: the walk goes from the first to the last. */
function lastRound(run: PureRun): PureRun {
  if (stateOf(run).round !== 2) return run;
  const state = { ...run.state, round: 3 };
  return { ...run, state, step: run.def.next(state) };
}

/**
 * Every kind of state a single-mode run can reach. A write, look or worker that fails halts the run: that is followed
 * one step, not further, because a resume leads back to it.
 */
function walk(
  halts: { before: PureRun; after: PureRun }[],
): ReadonlyMap<string, { run: PureRun; edges: Edge[] }> {
  const seen = new Map<string, { run: PureRun; edges: Edge[] }>();
  const queue = [begin(), begin({}, { git: null })];
  const isLeaf = (one: Happening, after: PureRun) =>
    isGivingUp(one) || stateOf(after).halted?.kind === 'failed';
  for (let run = queue.pop(); run; run = queue.pop()) {
    const key = kindOf(run);
    if (seen.has(key)) continue;
    const edges: Edge[] = [];
    seen.set(key, { run, edges });
    for (const one of happenings(run).filter(({ name }) => !WORDS.test(name))) {
      const moved = happen(lean(run), one);
      if (!moved) continue;
      const after = lastRound(moved);
      const answer = 'outcome' in one && one.outcome.kind === 'answered';
      edges.push({ name: one.name, answer, to: kindOf(after) });
      if (!isLeaf(one, after)) queue.push(after);
      else if (stateOf(after).halted) halts.push({ before: run, after });
      else if (!seen.has(kindOf(after))) seen.set(kindOf(after), { run: after, edges: [] });
    }
  }
  return seen;
}

describe('walk over the graph', () => {
  const halts: { before: PureRun; after: PureRun }[] = [];
  const seen = walk(halts);
  const nodes = [...seen.values()];

  test('every phase is reached and every state has a next step', () => {
    const phases = new Set(nodes.map(({ run }) => run.state.phase));
    expect([...phases].sort()).toEqual([...DELIVER_PHASES].sort());
    expect(nodes.length).toBeGreaterThan(5_000);
    for (const { run } of nodes) expect(run.step.kind).toBeTypeOf('string');
  });

  test('every gate can be left by an answer, and every state that has not ended by giving up', () => {
    const gates = new Set<string>();
    for (const { run, edges } of nodes) {
      if (run.step.kind === 'end') continue;
      if (!edges.some(({ name }) => name === 'command abandon')) throw new Error(`stuck at ${kindOf(run)}`);
      if (run.step.kind !== 'gate') continue;
      gates.add(run.step.gate.name);
      if (!edges.some(({ answer }) => answer) && run.step.gate.name !== 'verify')
        throw new Error(kindOf(run));
    }
    expect([...gates].sort()).toEqual(['auto_fix', 'commit', 'qa', 'spec', 'verify']);
  });

  test('every state reaches an end also when nobody gives up', () => {
    const back = new Map<string, string[]>();
    for (const [from, { edges }] of seen) {
      for (const { name, to } of edges) {
        if (!/abandon|restart/.test(name)) back.set(to, [...(back.get(to) ?? []), from]);
      }
    }
    const ending = new Set<string>();
    const queue = [...seen].filter(([, { run }]) => run.step.kind === 'end').map(([key]) => key);
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      if (ending.has(key)) continue;
      ending.add(key);
      queue.push(...(back.get(key) ?? []));
    }
    expect([...seen.keys()].filter((key) => !ending.has(key)).slice(0, 3)).toEqual([]);
  });

  test('what failed halts the run, and a resume does exactly that step again', () => {
    const resume = { name: 'resume', signal: command('resume') };
    expect(halts.length).toBeGreaterThan(1_000);
    for (const { before, after } of halts) {
      const again = happen(lean(after), resume);
      if (keyOf(again?.step ?? after.step) !== keyOf(before.step))
        throw new Error(`${kindOf(before)} ${kindOf(after)}`);
    }
  });

  /** Steps that can be reached along the edges allowed. */
  function reachable(isAllowed: (edge: Edge) => boolean): Set<string> {
    const met = new Set<string>();
    const queue = [begin(), begin({}, { git: null })].map(kindOf);
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      if (met.has(key)) continue;
      met.add(key);
      for (const edge of seen.get(key)?.edges.filter(isAllowed) ?? []) queue.push(edge.to);
    }
    return new Set(
      [...met].flatMap((key) => keyOf(seen.get(key)?.run.step ?? { kind: 'end', outcome: { result: '' } })),
    );
  }

  test('without the answer of a person nothing is built, patched or committed, whatever else happens', () => {
    const unanswered = [...reachable(({ answer }) => !answer)];
    expect(unanswered).toContain('gate spec');
    expect(
      unanswered.filter((key) => /generator|apply|commit|publish|clean_up|save_patch/.test(key)),
    ).toEqual([]);
    const unpatched = [...reachable(({ name }) => name !== 'auto_fix apply')];
    expect(unpatched).toContain('gate auto_fix');
    expect(unpatched).not.toContain('workspace apply_patch');
    const uncommitted = [...reachable(({ name }) => !name.startsWith('commit '))];
    expect(uncommitted).toContain('gate commit');
    expect(uncommitted.filter((key) => /workspace (commit|publish|clean_up|save_patch)/.test(key))).toEqual(
      [],
    );
  });
});
