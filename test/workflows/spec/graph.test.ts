import { describe, expect, test } from 'vitest';
import type { Outcome, Signal } from '../../../src/contract/outcome.ts';
import type { SpecState } from '../../../src/contract/spec.ts';
import type { Step } from '../../../src/contract/step.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import type { BaseState } from '../../../src/engine/workflow.ts';
import type { PureRun } from '../../support/pure-run.ts';
import { BEGINNINGS } from './beginnings.ts';
import { stateOf } from './fixture.ts';
import { happen, happenings } from './histories.ts';

describe('walk over the whole graph', () => {
  /** What tells states apart, per phase: a choice that no longer matters would only multiply the walk. */
  const keyOf = (run: PureRun): string => {
    const s = stateOf(run);
    const reports = s.analyses?.map(({ status, has_findings }) =>
      status === 'ok' ? has_findings : 'failed',
    );
    const early = s.phase === 'setup' ? [s.setup, s.unattended, s.overwrite] : [];
    const asking = s.phase === 'qa_active' ? [s.round !== null, s.qa_round, s.reopened] : [];
    const critic = s.critic && {
      ...s.critic,
      last_findings_path: null,
      modify_text: s.critic.modify_text === null,
    };
    return JSON.stringify([
      s.phase,
      ...early,
      ...asking,
      s.convention_stage?.at ?? null,
      typeof s.conventions,
      s.mode,
      s.rounds_closed === 3,
      [...new Set(reports)].sort(),
      s.notes_only,
      s.critic_gate,
      critic,
      s.revising !== null,
      s.not_addressed.length > 0,
      s.approved !== null,
      s.halted?.why.msg ?? null,
      s.ended?.result ?? null,
    ]);
  };

  /** Every kind of state that can be reached. The harness checks each move; test/model checks what follows each. */
  function walk() {
    const seen = new Map<string, { run: PureRun }>();
    const queue = BEGINNINGS.map((start) => start());
    for (let run = queue.shift(); run; run = queue.shift()) {
      const key = keyOf(run);
      if (seen.has(key)) continue;
      seen.set(key, { run });
      queue.push(...happenings(run).map((happening) => happen(run, happening)));
    }
    return seen;
  }
  const seen = walk();

  test('SP-03: a changed failure_reason changes no step and no transition of any reachable state', () => {
    const reasons = [
      null,
      'dispatch_failed',
      'parse_failed_approved',
      'parse_failed_halted',
      're_synthesis_failed',
      'user_stopped',
    ];
    const withCritic = [...seen.values()].filter(({ run }) => stateOf(run).critic !== null);
    expect(withCritic.length).toBeGreaterThan(30);
    for (const { run } of withCritic) {
      const state = (failure_reason: string | null) => ({
        ...run.state,
        critic: { ...stateOf(run).critic, failure_reason },
      });
      const expected = steered(run, state(stateOf(run).critic?.failure_reason ?? null));
      for (const reason of reasons)
        expect(JSON.stringify(steered(run, state(reason)))).toBe(JSON.stringify(expected));
    }
  });

  test('the state stays small, whatever happened', () => {
    for (const { run } of seen.values()) expect(JSON.stringify(run.state).length).toBeLessThan(8_000);
  });
});

/** Where everything that can happen to a run leads from this state, words and the reason itself aside. */
function steered(run: PureRun, state: BaseState): unknown {
  const at = '2026-11-15T20:00:00.000Z';
  const { def } = run;
  const step = def.next(state);
  const moves = happenings(run).map((happening) => {
    const move =
      'outcome' in happening
        ? def.settle(state, step, { ...happening.outcome, at } as Outcome)
        : def.receive(state, { ...happening.signal, at } as Signal);
    if (isRejection(move)) return move.rejection;
    const { critic, ended, ...rest } = move.state as unknown as SpecState;
    return [
      rest,
      ended?.result,
      critic && { ...critic, failure_reason: null },
      unspoken(def.next(move.state)),
    ];
  });
  return [unspoken(step), ...moves];
}

/** A step without what it says. */
function unspoken(step: Step): unknown {
  if (step.kind === 'gate') return [step.gate.name, step.gate.offers, step.gate.artefacts];
  if (step.kind === 'wait') return [step.until.kind, 'commands' in step.until ? step.until.commands : []];
  return step;
}
