import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderConventions } from '../../../src/workflows/kit/convention-document.ts';
import {
  type ConventionScope,
  decideConventions,
  rankCandidates,
} from '../../../src/workflows/kit/conventions.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  command,
  failPure,
  hashOf,
  notices,
  offered,
  refusedSignal,
  settlePure,
  signalPure,
  workPure,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { atConventions, atWriter, fullState, GIT, stateOf, withState } from './fixture.ts';

const SCAN = { db: 'N/A', api: ['Errors have a code.'], files: ['One noun per file.'], tests: ['vitest'] };
const artefact = hashOf('text');
const candidate = (path: string, lines: number) => ({ path, lines, artefact: hashOf(path) });
const queried = (found: unknown) => ({ kind: 'queried', found }) as const;
const found = (...candidates: ReturnType<typeof candidate>[]) =>
  queried({ source: 'candidates', candidates, warnings: [] });

const scope = (has_git: boolean, reference: string | null): ConventionScope => ({
  task: 'x',
  lang: 'en',
  has_git,
  reference,
  reference_hash: reference === null ? null : artefact,
  tier: 'inherit',
});

describe('convention step', () => {
  test('SP-20: the reference is asked for first, whatever else there is', () => {
    const reference = { path: 'docs/guide.md', hash: artefact };
    for (const git of [GIT, null]) {
      const run = atConventions({ reference: 'docs/guide.md' }, { reference, git });
      expect(run.step).toMatchObject({
        kind: 'query',
        what: { what: 'conventions', input: { reference: 'docs/guide.md', reference_hash: artefact } },
      });
      const set = settlePure(run, queried({ source: 'reference', artefact }));
      expect(stateOf(set)).toMatchObject({ conventions: { artefact }, phase: 'qa_active', qa_round: 1 });
      expect(notices(set, 'en').at(-1)).toBe('Conventions: copied from the reference docs/guide.md.');
    }
  });

  test.each([
    [
      'git, CLAUDE.md usable',
      true,
      { source: 'claude_md', artefact, lines: 50 },
      { to: 'set', conventions: { artefact } },
    ],
    ['git, CLAUDE.md of 5000 lines', true, { source: 'claude_md', artefact, lines: 5000 }, { to: 'set' }],
    [
      'git, CLAUDE.md missing, short or too large',
      true,
      { source: 'none' },
      { to: 'stage', stage: { at: 'gate' } },
    ],
    ['no git, nothing', false, { source: 'none' }, { to: 'set', conventions: 'skipped' }],
    [
      'no git, no candidate',
      false,
      { source: 'candidates', candidates: [], warnings: [] },
      { to: 'set', conventions: 'skipped' },
    ],
    [
      'no git, one candidate',
      false,
      { source: 'candidates', candidates: [candidate('policy.md', 60)], warnings: [] },
      { to: 'set', conventions: { artefact: hashOf('policy.md') } },
    ],
    [
      'git, reference refused',
      true,
      { source: 'refused', msg: 'spec.reference.missing', args: { path: 'x.md' } },
      { to: 'halt' },
    ],
    [
      'no git, reference refused',
      false,
      { source: 'refused', msg: 'spec.reference.missing', args: { path: 'x.md' } },
      { to: 'halt' },
    ],
  ])('SP-20: %s', (_name, git, source, expected) => {
    const move = decideConventions({ at: 'query' }, scope(git, null)).settle({
      kind: 'queried',
      found: source,
      at: '2026-11-15T10:00:00.000Z',
    });
    expect(move).toMatchObject(expected);
  });

  test('SP-20: conventions and qa_active are set in one move, not before', () => {
    const run = atConventions({}, { git: GIT });
    const gate = settlePure(run, queried({ source: 'none' }));
    expect(stateOf(gate)).toMatchObject({ phase: 'convention_scan_active', conventions: null });
    const skipped = answerPure(gate, 'skip');
    expect(stateOf(skipped)).toMatchObject({ phase: 'qa_active', conventions: 'skipped' });
  });

  test('SP-22: none left is skipped, one is copied, more are asked with the top three and Skip', () => {
    const run = atConventions();
    expect(stateOf(settlePure(run, found())).conventions).toBe('skipped');
    const one = settlePure(run, found(candidate('policy.md', 60)));
    expect(stateOf(one).conventions).toEqual({ artefact: hashOf('policy.md') });
    const two = settlePure(run, found(candidate('policy.md', 60), candidate('guidelines.md', 70)));
    expect(offered(two)).toEqual(['first', 'second', 'skip']);
    expect(stateOf(answerPure(two, 'first')).conventions).toEqual({ artefact: hashOf('guidelines.md') });
    expect(stateOf(answerPure(two, 'skip')).conventions).toBe('skipped');
  });

  test('SP-22: seven candidates give exactly four options, labelled by path', () => {
    const seven = Array.from({ length: 7 }, (_, n) => candidate(`f${n}.md`, 50 + n));
    const run = settlePure(atConventions(), found(...seven));
    expect(offered(run)).toEqual(['first', 'second', 'third', 'skip']);
    expect(run.step).toMatchObject({ gate: { label: { first: 'f6.md', second: 'f5.md', third: 'f4.md' } } });
    expect(stateOf(answerPure(run, 'third')).conventions).toEqual({ artefact: hashOf('f4.md') });
  });

  test('SP-22: candidates are ranked by lines, ties by the order they came in', () => {
    const files = fc.array(fc.integer({ min: 50, max: 60 }), { maxLength: 7 });
    fc.assert(
      fc.property(files, (lines) => {
        const all = lines.map((n, i) => candidate(`f${i}.md`, n));
        const ranked = rankCandidates(all);
        expect(ranked).toHaveLength(Math.min(3, all.length));
        for (const [i, one] of ranked.entries()) {
          const before = ranked[i - 1];
          if (!before) continue;
          const inOrder = all.indexOf(before) < all.indexOf(one);
          expect(before.lines > one.lines || (before.lines === one.lines && inOrder)).toBe(true);
        }
        const left = all.filter((one) => !ranked.includes(one));
        for (const one of left) expect(one.lines).toBeLessThanOrEqual(ranked.at(-1)?.lines ?? 0);
      }),
    );
  });

  test('a file passed over is told as a warning', () => {
    const warnings = [{ msg: 'spec.candidate.link', args: { path: 'policy.md' } }];
    const run = settlePure(atConventions(), queried({ source: 'candidates', candidates: [], warnings }));
    expect(notices(run, 'en', 'warning')).toEqual(['policy.md was passed over: it is a symbolic link.']);
  });

  test('SP-23: the scanner has three tries; silent in all of them, the step is skipped with a warning', () => {
    const role = specWorkflow.roles.convention_scanner;
    expect((role?.caps.correct ?? 0) + (role?.caps.fresh ?? 0)).toBe(2);
    const gate = settlePure(atConventions({}, { git: GIT }), queried({ source: 'none' }));
    const scanning = answerPure(gate, 'scan');
    expect(scanning.step).toMatchObject({ kind: 'work', calls: [{ role: 'convention_scanner' }] });
    for (const kind of ['dispatch_failed', 'parse_failed'] as const) {
      const run = failPure(scanning, kind);
      expect(stateOf(run)).toMatchObject({ conventions: 'skipped', phase: 'qa_active' });
      expect(notices(run, 'en', 'warning')).toEqual([
        'The convention scan gave no usable result after 3 tries. It is skipped.',
      ]);
      expect(run.step).toMatchObject({ kind: 'work', calls: [{ role: 'interviewer' }] });
    }
  });

  test('a scan that delivers becomes the artefact of the run', () => {
    const gate = settlePure(atConventions({}, { git: GIT }), queried({ source: 'none' }));
    const run = workPure(answerPure(gate, 'scan'), SCAN);
    const { conventions } = stateOf(run);
    expect(conventions).toMatchObject({ artefact: expect.stringMatching(/^sha256:/) });
    expect(run.records).toContainEqual({
      kind: 'artefact',
      name: 'conventions',
      hash: conventions && conventions !== 'skipped' ? conventions.artefact : '',
    });
  });

  test('SP-24: generation with unset conventions halts with no worker call', () => {
    for (const phase of ['qa_complete', 'gen_ready'] as const) {
      const step = specWorkflow.next({ ...fullState, phase, conventions: null, spec: null } as never);
      expect(step).toMatchObject({
        kind: 'wait',
        until: { kind: 'command', why: { msg: 'spec.halt.integrity' } },
      });
    }
  });

  test('SP-24: skipped conventions reach the writer as empty text and are told as a warning', () => {
    const run = atWriter();
    expect(run.step).toMatchObject({
      kind: 'work',
      calls: [{ role: 'writer', slots: { conventions: { text: '' } } }],
    });
    expect(notices(run, 'en', 'warning')).toContain(
      'The specification is written without conventions: the step was skipped.',
    );
  });

  test('a resume after unset conventions runs the step first and goes back to the phase it had', () => {
    const lost = withState(atWriter(), { conventions: null });
    const looking = signalPure(lost, command('resume'));
    expect(looking.step).toMatchObject({ kind: 'query', what: { what: 'conventions' } });
    expect(stateOf(looking).phase).toBe('gen_ready');
    const back = settlePure(looking, queried({ source: 'claude_md', artefact, lines: 80 }));
    expect(stateOf(back)).toMatchObject({ phase: 'gen_ready', conventions: { artefact }, asked: 1 });
    expect(back.step).toMatchObject({ kind: 'work', calls: [{ role: 'writer' }] });
  });

  test('a reference that no longer passes halts; each resume checks the whole chain again', () => {
    const reference = { path: 'guide.md', hash: artefact };
    const refused = queried({
      source: 'refused',
      msg: 'spec.reference.replaced',
      args: { path: 'guide.md' },
    });
    let run = settlePure(atConventions({ reference: 'guide.md' }, { reference }), refused);
    for (let n = 0; n < 3; n += 1) {
      expect(run.step).toMatchObject({ kind: 'wait', until: { why: { msg: 'spec.reference.replaced' } } });
      expect(stateOf(run)).toMatchObject({ phase: 'convention_scan_active', conventions: null });
      run = settlePure(signalPure(run, command('resume')), refused);
    }
    const fixed = settlePure(signalPure(run, command('resume')), queried({ source: 'reference', artefact }));
    expect(stateOf(fixed).phase).toBe('qa_active');
  });

  test('a resume of a run that is not halted is refused', () => {
    expect(refusedSignal(atConventions(), command('resume'))).toMatchObject({
      rejection: 'wrong_moment',
      message: { msg: 'spec.not_halted' },
    });
  });
});

describe('conventions document', () => {
  const t = translator('ko');

  test('a copied file stays as it is', () => {
    const text = '# Rules\r\n\n- Tabs.  \n';
    expect(renderConventions(text, t)).toBe(text);
  });

  test('a scan becomes four sections', () => {
    const rendered = renderConventions(JSON.stringify(SCAN), t);
    expect(rendered).toContain('## 파일 구조\n\n- One noun per file.');
    expect(rendered).toContain('## 데이터베이스\n\nN/A');
  });
});
