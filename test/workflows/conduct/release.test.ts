import { describe, expect, test } from 'vitest';
import { awaitingOf } from '../../../src/workflows/conduct/row.ts';
import { type PureRun, refusedSignal, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  accepts,
  answers,
  BEEF,
  BUILD,
  brief,
  built,
  C0FFEE,
  command,
  delivers,
  drafts,
  entriesOf,
  HOST,
  OTHER,
  PULL,
  passes,
  planned,
  presented,
  recordsOf,
  releaseDrafted,
  runbook,
  SEEN,
  stateOf,
  ticket,
  UNATTENDED,
  upTo,
  verifyDrafted,
} from './fixture.ts';

const UNTIL_BUILD = { agent: 'partial:build', drive: 'dr-1' };
const gateName = ({ step }: PureRun) => (step.kind === 'gate' ? step.gate.name : step.kind);
const opName = ({ step }: PureRun) => ('op' in step ? step.op.op : step.kind);
const queried = (run: PureRun, host: Record<string, unknown> = {}) =>
  settlePure(run, { kind: 'queried', found: { ...HOST, ...host } });
const failed = (run: PureRun, code: string) =>
  settlePure(run, { kind: 'failed', failure: { code, retry: 'permanent', detail: 'no' } });
/** Accepted by a person: what is looked at next decides. */
const goes = () => accepts(releaseDrafted(upTo('Built')));
const checks = (state: string, readable = true) => ({
  checks: { readable, why: readable ? null : '403', state, list: [] },
});
const merges = (run: PureRun) => run.steps.filter((step) => 'op' in step && step.op.op === 'merge').length;

describe('build', () => {
  test('CON-84 without a criterion a question is filed and nothing is built; a phantom build stays Planned', () => {
    const none = command(upTo('Planned'), 'criteria', { remove: ['AC-1'] });
    const asked = passes(none);
    expect(gateName(asked)).toBe('round');
    expect(recordsOf(asked, 'spawn')).toEqual([]);
    const started = presented(passes(upTo('Planned')));
    expect(recordsOf(started, 'spawn')).toMatchObject([
      { workflow: 'deliver', input: { from_spec: 'B-12', ticket: 'B-12' } },
    ]);
    const told = signalPure(started, { type: 'message', from: 'de-1', name: 'built', data: BUILD });
    const phantom = settlePure(told, { kind: 'written', result: { ...PULL, head_sha: OTHER } });
    expect(stateOf(phantom).phase).toBe('Planned');
    expect(stateOf(phantom).trouble).toMatchObject({ fault: 'no-progress' });
    for (const none of [
      failed(told, 'io_failed'),
      ...[{ assumed: true }, null, { ...PULL, pr_url: undefined }].map((result) =>
        settlePure(told, { kind: 'written', result }),
      ),
    ])
      expect(stateOf(none)).toMatchObject({
        phase: 'Planned',
        build_pr: null,
        trouble: { what: 'pull request' },
      });
    const done = stateOf(built(upTo('Planned')));
    expect(done.phase).toBe('Built');
    expect(done.build_pr).toEqual(PULL);
    expect(done.build?.checks).toHaveLength(1);
    expect(done.checklist.every((item) => item.done)).toBe(true);
  });

  test('a build without any check asks why that is all right', () => {
    const started = presented(passes(upTo('Planned')));
    const asked = signalPure(started, {
      type: 'message',
      from: 'de-1',
      name: 'built',
      data: { ...BUILD, checks: [] },
    });
    expect(gateName(asked)).toBe('round');
  });

  test('a build that did not pass, or only ended, is trouble, and the ticket stays where it is', () => {
    const started = presented(passes(upTo('Planned')));
    const bad = signalPure(started, {
      type: 'message',
      from: 'de-1',
      name: 'built',
      data: { ...BUILD, result: 'max_rounds' },
    });
    expect(stateOf(bad)).toMatchObject({ phase: 'Planned', trouble: { fault: 'repo-active-board-silent' } });
    const ended = signalPure(started, {
      type: 'run_ended',
      run: 'de-1',
      key: 'build-1',
      result: 'abandoned',
    });
    expect(stateOf(ended)).toMatchObject({ phase: 'Planned', trouble: { fault: 'no-progress' } });
    expect(passes(answers(ended, 'retry')).step).toMatchObject({ kind: 'wait', until: { kind: 'children' } });
  });

  test('CON-114 a plan accepted for the person up to build shows it once more, and its accept starts the build', () => {
    const waiting = accepts(drafts(upTo('Designed'), planned()), UNTIL_BUILD);
    expect(gateName(waiting)).toBe('build_go');
    expect(awaitingOf(stateOf(waiting))).toEqual({
      reason: 'build-go-pending',
      ref: { kind: 'build-go', decision: 'B-12.d4' },
    });
    expect(waiting.def.gates.build_go?.class).toBe('decision');
    expect(JSON.stringify(waiting.step)).toContain('Plan for the JSON export');
    expect(passes(accepts(waiting)).step).toMatchObject({ kind: 'wait', until: { kind: 'children' } });
    expect(stateOf(answers(waiting, 'deny')).phase).toBe('Parked');
    expect(gateName(accepts(drafts(upTo('Designed'), planned()), UNATTENDED))).toBe('work');
  });
});

describe('release', () => {
  test('CON-85 the accept is only the go: it stays Built until the deploy succeeded', () => {
    const go = goes();
    expect(stateOf(go).phase).toBe('Built');
    const deploying = settlePure(queried(go), {
      kind: 'written',
      result: { merged_sha: BEEF, base: 'main' },
    });
    expect(opName(deploying)).toBe('deploy');
    const bad = failed(deploying, 'deploy_failed');
    expect(stateOf(bad).phase).toBe('Built');
    expect(
      entriesOf(bad, 'history').some((entry) => (entry as { activity: string }).activity === 'releasing'),
    ).toBe(false);
  });

  test('CON-86 CON-22 only an accept of this very build leads to a merge', () => {
    const without = upTo('Built');
    const state = { ...without.state, release: { ...stateOf(without).release, stage: 'recheck' } };
    const torn = { ...without, state: state as never, step: without.def.next(state as never) };
    expect(merges(queried(torn))).toBe(0);
    const conflict = failed(queried(goes()), 'merge_conflict');
    const rebuilt = built(passes(command(conflict, 'conduct')));
    expect(stateOf(rebuilt).release.accepted).toBeNull();
    expect(gateName(releaseDrafted(rebuilt))).toBe('release');
  });

  test('CON-87 the brief shows the classes of the paths and what the host reports, or that it cannot be read', () => {
    const paths = ['db/migrations/7.sql'];
    const text = JSON.stringify(releaseDrafted(upTo('Built'), { paths, ...checks('passed') }).step);
    expect(text).toContain('data-migration');
    const unreadable = releaseDrafted(upTo('Built'), checks('none', false));
    expect(JSON.stringify(unreadable.step)).toContain('conduct.context.checks_unreadable');
    expect(JSON.stringify(unreadable.step)).toContain('403');
  });

  test('CON-88 checks that have not reported are waited for, failed ones stop it, a bot’s pull request needs a review', () => {
    const pending = queried(goes(), checks('pending'));
    expect(pending.step).toMatchObject({ kind: 'wait', until: { kind: 'time' } });
    const stopped = queried(goes(), checks('failed'));
    expect(stateOf(stopped)).toMatchObject({ phase: 'Built', release: { accepted: null } });
    const bot = queried(goes(), { author_is_bot: true });
    expect(gateName(bot)).toBe('approval');
    expect(awaitingOf(stateOf(bot))).toEqual({
      reason: 'release-approval-pending',
      ref: { kind: 'release-approval', pr_url: PULL.pr_url },
    });
    expect(stateOf(bot).phase).toBe('Built');
    const foreign = queried(goes(), { by_us: false });
    expect(stateOf(foreign).trouble).toMatchObject({ fault: 'world' });
    expect([pending, stopped, bot, foreign].map(merges)).toEqual([0, 0, 0, 0]);
    const approved = queried(answers(bot, 'look_again'), { author_is_bot: true, approved: true });
    expect(opName(approved)).toBe('merge');
  });

  test('CON-89 two pull requests merge nothing and ask; a conflict ends at Planned and the old accept is void', () => {
    const pulls = [1, 2].map((pr_number) => ({ pr_number, head_sha: C0FFEE, base: 'main' }));
    const two = queried(goes(), { pulls });
    expect(gateName(two)).toBe('round');
    expect(merges(two)).toBe(0);
    const conflict = failed(queried(goes()), 'merge_conflict');
    expect(stateOf(conflict)).toMatchObject({
      phase: 'Planned',
      release: { accepted: null },
      build_pr: null,
    });
    expect(conflict.step).toMatchObject({ kind: 'wait', until: { kind: 'command' } });
  });

  test('a head that moved after the accept is asked about again', () => {
    const moved = queried(goes(), { head_sha: OTHER });
    expect(merges(moved)).toBe(0);
    expect(stateOf(moved).release).toMatchObject({ stage: 'query', accepted: null });
  });
});

describe('verify', () => {
  test('CON-91 the runbook follows the criteria while it waits, as the next draft; a problem goes back to the build', () => {
    const shown = verifyDrafted(upTo('Released'));
    expect(JSON.stringify(shown.step)).toContain('conduct.context.evidence');
    const edited = command(shown, 'criteria', { set: { 'AC-1': '--json prints pretty JSON' } });
    expect(edited.step).toMatchObject({ kind: 'gate', gate: { name: 'verify', edition: 2 } });
    expect(JSON.stringify(edited.step)).toContain('pretty JSON');
    const back = answers(shown, 'back', 'it prints XML');
    expect(stateOf(back).phase).toBe('Built');
    expect(stateOf(passes(back)).phase).toBe('Planned');
    expect(passes(passes(back)).step).toMatchObject({ kind: 'wait', until: { kind: 'children' } });
  });
});

describe('decision-only', () => {
  test('CON-92 it ends at its deliverable, which is a person’s; from the plan on the label is refused', () => {
    const last = (labels: string[]) => upTo('Decomposed', undefined, { labels });
    const shown = drafts(last(['decision-only']), { ...designedOnly });
    expect(stateOf(shown).brief?.deliverable).toBe(true);
    expect(
      shown.def.delegate?.(shown.state, { mode: { kind: 'unattended' }, trust: 'autonomous', content: '' }),
    ).toEqual({ kind: 'pause', cause: 'hard-floor' });
    const done = passes(accepts(shown));
    expect(done.step).toMatchObject({ kind: 'end', outcome: { result: 'verified' } });
    expect(recordsOf(done, 'spawn')).toEqual([]);
    const labels = (run: PureRun) =>
      refusedSignal(run, {
        type: 'command',
        command: 'edit',
        by: 'ada',
        args: { labels_add: ['decision-only'] },
      });
    const parked = command(upTo('Idea'), 'park');
    for (const run of [upTo('Planned'), upTo('Built'), upTo('Released'), parked])
      expect(labels(run).message.msg).toBe('conduct.decision_only_late');
    for (const over of [done, command(upTo('Idea'), 'cancel')])
      expect(labels(over).rejection).toBe('wrong_moment');
    for (const early of ['Captured', 'Idea', 'Clarified', 'Decomposed', 'Designed'] as const) {
      const run = early === 'Captured' ? ticket() : upTo(early);
      expect(stateOf(command(run, 'edit', { labels_add: ['decision-only'] })).labels).toEqual([
        'decision-only',
      ]);
    }
  });
});

const designedOnly = {
  questions: [],
  grounds: ['D-1'],
  gap: null,
  related: [],
  reasoning: '',
  brief: brief('This way?'),
  decision: { title: 'Decided', body: 'So.', domains: ['product'] },
  tracks: ['technical'],
};

test('a parent’s own verify needs no look at any system', () => {
  expect(
    delivers(settlePure(upTo('Released'), { kind: 'queried', found: SEEN }), runbook(['AC-1'])).step,
  ).toMatchObject({ kind: 'gate', gate: { name: 'verify' } });
});
