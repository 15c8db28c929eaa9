import { describe, expect, test } from 'vitest';
import { BuildReport } from '../../../src/contract/build-report.ts';
import type { MoveRecord } from '../../../src/contract/move.ts';
import { start } from '../../../src/workflows/deliver/start.ts';
import {
  answerPure,
  command,
  hashOf,
  notices,
  type PureRun,
  refusedSignal,
  signalPure,
  startFacts,
} from '../../support/pure-run.ts';
import {
  begin,
  CHANGE_SET,
  checked,
  failing,
  GIT,
  keyOf,
  play,
  rolesOf,
  stateOf,
  stepsOf,
  worked,
} from './fixture.ts';
import { failingL2, failingL3 } from './results.ts';

const TICKET = 'B-12';
const PLAN = hashOf('# Plan');
const ACCEPTED = { by: 'Ada <ada@example.org>', at: '2026-11-14T09:00:00.000Z', decision: 'kd-7' };
const FROM_TICKET = {
  run: TICKET,
  slug: 'export-json',
  docs_path: 'docs/baton/export-json/',
  path: 'docs/baton/export-json/plan.md',
  spec: PLAN,
  criteria: ['AC-1'],
  accepted: ACCEPTED,
};
const BARE = { from_spec: FROM_TICKET, ticket: TICKET, task: null, mode: null, model_config: null };
const NO_CONVENTIONS = {
  'query conventions': () => ({ kind: 'queried', found: { source: 'none' } }) as const,
};

function decisions(run: PureRun): Extract<MoveRecord, { kind: 'decision' }>[] {
  return run.records.filter((record) => record.kind === 'decision');
}

/** What the ticket was told, in order. */
function reports(run: PureRun): BuildReport[] {
  return run.records.flatMap((record) => {
    if (record.kind !== 'message' || record.name === 'building') return [];
    expect(record).toMatchObject({ to: TICKET, name: 'built' });
    return [BuildReport.parse(record.data)];
  });
}

describe('the build of a ticket', () => {
  test('nobody is asked anything where everything works, and the run ends in a commit', () => {
    const run = play(begin(BARE), NO_CONVENTIONS);
    expect(run.records[0]).toEqual({ kind: 'message', to: TICKET, name: 'building', data: null });
    expect(run.step).toEqual({ kind: 'end', outcome: expect.objectContaining({ result: 'passed' }) });
    expect(stepsOf(run).filter((step) => step.startsWith('gate'))).toEqual([]);
    expect(rolesOf(run)).toEqual(['planner_single', 'generator_single', 'evaluator']);
    expect(stateOf(run)).toMatchObject({
      ticket: TICKET,
      mode: 'single',
      model_config: { preset: 'default', verifier: 'haiku' },
      conventions: 'skipped',
      branch: 'baton/B-12-export-json',
      docs_path: FROM_TICKET.docs_path,
      finish: { chosen: { choice: 'code_only', commit: 'c'.repeat(40) } },
    });
    expect(notices(run, 'en')).toContain('Conventions: skipped, no conventions file was found.');
  });

  test('mode and models that were named are taken', () => {
    const run = begin({ ...BARE, mode: 'multi', model_config: 'economy' });
    expect(stateOf(run)).toMatchObject({ mode: 'multi', model_config: { preset: 'economy' } });
    expect(keyOf(run.step)).toBe('query setup');
  });

  test('conventions that are there are used', () => {
    const run = play(begin(BARE), {}, ['work planner_single']);
    expect(stateOf(run).conventions).toEqual({ artefact: hashOf('rules') });
  });

  test('what no person was asked is a decision by rule, and says who accepted the plan', () => {
    const run = play(begin(BARE), NO_CONVENTIONS);
    const {
      plan: { spec },
    } = stateOf(run);
    expect(decisions(run)).toEqual([
      {
        kind: 'decision',
        name: 'spec_approved',
        by_rule: 'ticket',
        data: {
          hash: spec?.hash,
          by: ACCEPTED.by,
          at: ACCEPTED.at,
          digest: PLAN,
          revision: 1,
          ticket: TICKET,
          decision: 'kd-7',
        },
      },
      {
        kind: 'decision',
        name: 'finish',
        by_rule: 'ticket',
        data: { choice: 'code_only', ticket: TICKET },
      },
    ]);
    const closed = run.records.findLast(({ kind }) => kind === 'entry');
    expect(closed).toMatchObject({
      name: 'evidence',
      data: { part: 'closed', approvals: [{ what: 'ticket_plan', hash: PLAN, by: ACCEPTED.by }] },
    });
  });

  test('it owns the ticket’s build and not the name of a plain run', () => {
    const claims = (run: PureRun) => run.records.filter(({ kind }) => kind === 'claim');
    const own = play(begin(BARE), {}, ['workspace open_tree']);
    const { accepted: _, ...spec } = FROM_TICKET;
    const plain = play(begin({ from_spec: spec }), {}, ['workspace open_tree']);
    expect(claims(own)).toEqual([{ kind: 'claim', subject: 'deliver:ticket:B-12' }]);
    expect(claims(plain)).toEqual([{ kind: 'claim', subject: 'deliver:export-json' }]);
    expect(stateOf(plain).branch).toBe('baton/deliver-export-json');
  });

  test('the commit names the ticket', () => {
    const run = play(begin({ ...BARE, task: 'Export as JSON' }), {}, ['workspace commit']);
    if (run.step.kind !== 'workspace') throw new Error('no commit');
    expect(run.step.op.input.message).toEqual({
      msg: 'deliver.commit',
      args: { task: 'B-12 Export as JSON' },
    });
  });

  test('a ticket is refused without its own accepted plan', () => {
    const facts = (changes: object) => startFacts({ git: GIT, ...changes });
    const { accepted: _, ...approved } = FROM_TICKET;
    const other = { ...FROM_TICKET, run: 'B-13' };
    for (const approved_spec of [null, approved, other]) {
      expect(start({ ticket: TICKET, from_spec: TICKET, task: 'x' }, facts({ approved_spec }))).toMatchObject(
        {
          rejection: 'bad_input',
          message: { msg: 'deliver.ticket_bad' },
        },
      );
    }
    for (const ticket of ['12', 'B-0', 'B 1', '../B-1', 'B-1/x', ''])
      expect(start({ ticket, from_spec: ticket }, facts({})), ticket).toMatchObject({
        rejection: 'bad_input',
      });
  });
});

describe('gates of a build that need a person', () => {
  test('checks that keep failing', () => {
    const run = play(begin(BARE), {
      check: (at, nth) => (nth === 1 ? checked(at) : failing(at, `a.ts ${nth}`)),
    });
    expect(keyOf(run.step)).toBe('gate verify');
    expect(reports(run)).toEqual([]);
  });

  test('a change that fails its evaluation, and what the person accepts is committed', () => {
    const run = play(begin(BARE), {
      'work evaluator': (at) => worked(at, failingL3(stateOf(at))),
    });
    expect(keyOf(run.step)).toBe('gate qa');
    const ended = play(answerPure(run, 'accept'));
    expect(ended.step).toMatchObject({ kind: 'end', outcome: { result: 'accepted_as_is' } });
    expect(stepsOf(ended)).not.toContain('gate commit');
    expect(reports(ended)).toMatchObject([{ result: 'accepted_as_is', commit: 'c'.repeat(40) }]);
  });

  test('a change that never passed is not committed by rule', () => {
    const run = play(begin(BARE), {
      'work evaluator': (at) => worked(at, failingL3(stateOf(at))),
      'gate qa': (at) => answerPure(at, 'fix'),
      'gate commit': () => null,
    });
    expect(keyOf(run.step)).toBe('gate commit');
    expect(stateOf(run).verdict.completion_reason).toBe('max_rounds');
  });

  test('a change somebody altered after it was judged', () => {
    const run = play(begin(BARE), {
      'query content': () => ({ kind: 'queried', found: { content: 'another' } }),
      'gate commit': () => null,
    });
    expect(keyOf(run.step)).toBe('gate commit');
    expect(stateOf(run).verdict.altered).toBe(true);
  });

  test('a commit that failed', () => {
    const failure = { code: 'hook_failed', retry: 'permanent', detail: 'no' } as const;
    const run = play(begin(BARE), {
      'workspace commit': () => ({ kind: 'failed', failure }),
      'gate commit': () => null,
    });
    expect(keyOf(run.step)).toBe('gate commit');
    expect(stateOf(run).finish.error).toContain('hook_failed');
  });

  test('the person’s own folder: a commit there is never made by rule', () => {
    const policy = { ...startFacts().policy, in_place: true };
    const run = play(begin(BARE, { policy }), { 'gate commit': () => null });
    expect(keyOf(run.step)).toBe('gate commit');
  });
});

describe('the last word of a build', () => {
  test('a passed one: what was built, on which branch, with which proof', () => {
    const counts = { total: 3, passed: 3, failed: 0, skipped: 0 };
    const run = play(begin(BARE), {
      'query change_set': () => ({
        kind: 'queried',
        found: { ...CHANGE_SET, alters_checks: ['package.json'] },
      }),
      check: (at) => {
        const outcome = checked(at);
        if (outcome.kind !== 'checked') throw new Error('no checks');
        return {
          ...outcome,
          checks: outcome.checks.map((one) => (one.name === 'test' ? { ...one, counts } : one)),
        };
      },
    });
    expect(reports(run)).toEqual([
      {
        result: 'passed',
        branch: 'baton/B-12-export-json',
        commit: 'c'.repeat(40),
        base: GIT.head,
        paths: ['src/export.ts', 'test/export.test.ts'],
        checks: [
          { name: 'build', result: 'pass', counts: null },
          { name: 'test', result: 'pass', counts },
          { name: 'lint', result: 'pass', counts: null },
          { name: 'type_check', result: 'skipped', counts: null },
        ],
        evidence: stateOf(run).verdict.qa?.evaluation,
        criteria: stateOf(run).plan.spec?.criteria.map((id) => ({ id, met: true })),
        altered: true,
        warnings: [{ msg: 'engine.warn.alters_checks', args: { files: 'package.json' } }],
        summary: expect.stringMatching(
          /^passed: 2 files changed, \d of \d criteria met; checks: build pass, /,
        ),
      },
    ]);
    expect(run.records.at(-1)?.kind).toBe('message');
  });

  test('an unmet criterion is told as unmet', () => {
    const run = play(begin(BARE), {
      'work evaluator': (at) => worked(at, failingL2(stateOf(at))),
    });
    const ended = play(answerPure(run, 'accept'));
    const [first, ...others] = reports(ended)[0]?.criteria ?? [];
    expect(first?.met).toBe(false);
    expect(others.every(({ met }) => met)).toBe(true);
  });

  test('one that was given up, at any point', () => {
    for (const until of ['query setup', 'work planner_single', 'check', 'work evaluator']) {
      const run = signalPure(play(begin(BARE), {}, [until]), command('abandon'));
      expect(reports(run), until).toMatchObject([{ result: 'abandoned', branch: null, commit: null }]);
    }
  });

  test('a plain run tells nobody', () => {
    expect(play(begin()).records.filter(({ kind }) => kind === 'message')).toEqual([]);
  });

  test('a build is not restarted beside its ticket', () => {
    const run = play(begin(BARE), {}, ['work evaluator']);
    expect(refusedSignal(run, command('restart')).message.msg).toBe('deliver.ticket_restarts');
  });

  test('Korean: the summary is in the language of the ticket', () => {
    const run = play(begin({ ...BARE, from_spec: { ...FROM_TICKET, lang: 'ko' } }));
    expect(stateOf(run).task).toBe('티켓 B-12: 승인된 계획 docs/baton/export-json/plan.md 구현하기');
    expect(reports(run)[0]?.summary).toMatch(/^passed: 파일 2개 변경/);
  });
});
