import { describe, expect, test } from 'vitest';
import { isRejection } from '../../../src/engine/rejection.ts';
import { awaitingOf } from '../../../src/workflows/conduct/row.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import {
  answerOf,
  entries,
  type PureRun,
  refusedSignal,
  settlePure,
  slotsOf,
} from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  answers,
  brief,
  built,
  clarified,
  command,
  decomposed,
  delivers,
  designed,
  drafts,
  entriesOf,
  HOST,
  LEDGER,
  planned,
  recordsOf,
  releaseDrafted,
  stateOf,
  ticket,
  UNATTENDED,
  upTo,
  verifyDrafted,
} from './fixture.ts';

const idea = () => upTo('Idea');
const shown = () => drafts(idea(), clarified());
const doc = (decide = 'Is this it?') => ({
  decide,
  items: [],
  recommend: { text: 'Yes.', confidence: 'high' },
});
const told = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'command', command: name, by: 'ada', args }) as const;

function refused(run: PureRun, option: string, more: { text?: string | null; by?: typeof ADA } = {}) {
  const outcome = answerOf(run, option, { text: more.text ?? null });
  if (outcome.kind !== 'answered') throw new Error('no answer');
  const answer = { ...outcome.answer, by: more.by ?? ADA };
  const move = run.def.settle(run.state, run.step, { kind: 'answered', answer, at: answer.at });
  if (!isRejection(move)) throw new Error('it was taken');
  return move;
}

describe('composing', () => {
  test('CON-25 while a brief waits no other gate runs: the only step is its gate, and a second brief is refused', () => {
    const run = shown();
    const other = refusedSignal(run, told('compose', { reason: 'plan-draft', doc: doc() }));
    expect(other.message).toMatchObject({
      msg: 'conduct.compose_other',
      args: { active: 'clarification-draft' },
    });
    expect(run.def.next(run.state)).toEqual(run.step);
  });

  test('CON-68 composing again updates in place: one more, the marker gone; an illegal edge or a forward brief on a stale ticket is refused', () => {
    const once = command(idea(), 'compose', {
      reason: 'clarification-draft',
      doc: doc(),
      pending_activity: 'clarifying',
    });
    const twice = command(once, 'compose', {
      reason: 'clarification-draft',
      doc: doc('And now?'),
      pending_activity: 'null',
    });
    expect(stateOf(twice).brief).toMatchObject({
      id: stateOf(once).brief?.id,
      iteration: 2,
      pending_activity: null,
    });
    expect(awaitingOf(stateOf(twice))).toEqual({
      reason: 'clarification-draft',
      ref: { type: 'brief', id: 'B-12.b1' },
    });
    const asked = answers(once, 'reshape', 'shorter');
    expect([stateOf(asked).pending, awaitingOf(stateOf(asked))]).toEqual([
      { command: 'iterate', detail: 'shorter' },
      null,
    ]);
    const redrawn = command(asked, 'compose', { reason: 'clarification-draft', doc: doc('Shorter?') });
    expect(stateOf(redrawn)).toMatchObject({ pending: null, brief: { id: 'B-12.b1', iteration: 2 } });
    expect(awaitingOf(stateOf(redrawn))).not.toBeNull();
    const illegal = refusedSignal(
      idea(),
      told('compose', { reason: 'clarification-draft', doc: doc(), pending_activity: 'planning' }),
    );
    expect(illegal.message).toMatchObject({
      msg: 'conduct.no_such_edge',
      args: { activity: 'planning', state: 'Idea' },
    });
    const stale = { ...upTo('Designed') };
    const superseded = stale.def.receive(stale.state, {
      type: 'fact',
      what: 'superseded',
      value: { type: 'convention', id: 'D-1', superseded_by: null },
      at: '2026-11-15T11:00:00.000Z',
    });
    if (isRejection(superseded)) throw new Error('refused');
    const late = stale.def.receive(superseded.state, {
      ...told('compose', { reason: 'plan-draft', doc: doc() }),
      at: '2026-11-15T11:00:00.000Z',
    });
    expect(late).toMatchObject({ rejection: 'bad_input', message: { msg: 'conduct.compose_stale' } });
  });

  test('CON-26 no brief may be filed from Captured', () => {
    const refusal = refusedSignal(
      ticket(),
      told('compose', { reason: 'clarification-draft', doc: doc(), pending_activity: 'clarifying' }),
    );
    expect(refusal.message.msg).toBe('conduct.compose_captured');
  });

  test('CON-114 the three reasons the engine sets are no reasons of a brief', () => {
    for (const reason of ['elicitation-round', 'release-approval-pending', 'build-go-pending'])
      expect(refusedSignal(idea(), told('compose', { reason, doc: doc() })).rejection).toBe('bad_input');
  });

  test('CON-113 a design brief without a track is refused; two tracks make two pauses that name them', () => {
    const bare = refusedSignal(
      upTo('Decomposed'),
      told('compose', { reason: 'design-decision-draft', doc: doc() }),
    );
    expect(bare.message.msg).toBe('conduct.compose_track');
    const first = drafts(upTo('Decomposed'), designed({ tracks: ['product', 'technical'] }));
    const second = drafts(accepts(first), designed({ tracks: ['product', 'technical'] }));
    expect([stateOf(first).brief?.track, stateOf(second).brief?.track]).toEqual(['product', 'technical']);
  });

  test('CON-96 a draft gets what the ledger has; without an entry and without a stated gap it is sent back', () => {
    const asked = idea();
    expect(asked.step).toMatchObject({
      kind: 'query',
      what: { what: 'knowledge', input: { ticket: 'B-12', search: 'Export as JSON' } },
    });
    const working = { ...asked };
    const queried = working.def.settle(working.state, working.step, {
      kind: 'queried',
      found: { entries: [], linked: [] },
      at: '2026-11-15T10:00:00.000Z',
    });
    if (isRejection(queried)) throw new Error('refused');
    const known = settlePure(asked, { kind: 'queried', found: LEDGER });
    expect(JSON.parse(slotsOf(known, 'clarify').knowledge ?? '')).toEqual(LEDGER.entries);
    const check = conductWorkflow.roles.clarify?.check as (
      result: unknown,
      state: unknown,
    ) => readonly string[];
    expect(check(clarified({ grounds: [], gap: null }), queried.state)).toEqual([
      expect.stringContaining('say in gap what the ledger lacks'),
    ]);
    expect(check(clarified({ grounds: ['D-1'] }), queried.state)).toEqual([expect.stringContaining('D-1')]);
    const low = brief('Really?', { recommend: { text: 'Maybe.', confidence: 'low' } });
    expect(check(clarified({ grounds: [], gap: 'who uses it', brief: low }), queried.state)).toEqual([]);
    expect(check(clarified({ grounds: [], gap: 'who uses it' }), queried.state)).toEqual([
      expect.stringContaining('confidence'),
    ]);
    expect(conductWorkflow.roles.clarify?.caps.correct).toBe(1);
  });

  test('CON-98 findings of research are only asserted and come up again after 90 days', () => {
    const run = command(idea(), 'findings', {
      entries: [{ type: 'business', title: 'Who exports', body: 'Two teams.', domains: ['customer'] }],
    });
    expect(recordsOf(run, 'knowledge').map(({ entry }) => entry)).toMatchObject([
      { id: 'B-12.d1', status: 'Asserted', source_type: 'research', review_by: '2027-02-13' },
    ]);
    expect(recordsOf(run, 'knowledge_status')).toEqual([]);
  });

  test('the iteration counts edits, redrafts and briefs from outside alike', () => {
    let run = shown();
    const seen = [stateOf(run).brief?.iteration];
    for (const step of [
      (now: PureRun) => answers(now, 'edit', JSON.stringify({ decide: 'Other words?' })),
      (now: PureRun) => drafts(answers(now, 'reshape', 'shorter'), clarified()),
      (now: PureRun) =>
        command(now, 'compose', {
          reason: 'clarification-draft',
          doc: doc(),
          pending_activity: 'clarifying',
        }),
    ]) {
      run = step(run);
      seen.push(stateOf(run).brief?.iteration);
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });
});

describe('answers', () => {
  test('CON-70 accept promotes the entry, applies the activity and says who', () => {
    const run = accepts(shown());
    expect(recordsOf(run, 'knowledge_status')).toEqual([
      { kind: 'knowledge_status', id: 'B-12.d1', status: 'Accepted' },
    ]);
    const [resolved] = recordsOf(run, 'decision').filter(({ name }) => name === 'brief_resolved');
    expect(resolved?.data).toMatchObject({
      reason: 'clarification-draft',
      command: 'accept',
      provenance: 'human:cli',
    });
    expect(stateOf(run)).toMatchObject({ phase: 'Clarified', brief: null });
  });

  test('CON-71 deny parks with and without a reason; only the reason becomes an entry', () => {
    const why = answers(shown(), 'deny', 'not this year');
    const silent = answers(shown(), 'deny');
    expect([stateOf(why).phase, stateOf(silent).phase]).toEqual(['Parked', 'Parked']);
    expect(recordsOf(why, 'knowledge').at(-1)?.entry).toMatchObject({
      type: 'deferral',
      body: 'not this year',
      source_activity: 'defer',
      source_task_id: 'B-12',
    });
    expect(recordsOf(silent, 'knowledge').some(({ entry }) => entry.type === 'deferral')).toBe(false);
  });

  test('CON-72 promised writes are ledgered once by their content, and the state moves last', () => {
    const run = accepts(drafts(idea(), clarified({ criteria: ['a', 'a', 'b'], labels: ['risk:auth'] })));
    expect(entriesOf(run, 'ledger')).toEqual([
      { brief: 'B-12.b1', ref: 'acceptance_criterion:{"text":"a"}' },
      { brief: 'B-12.b1', ref: 'acceptance_criterion:{"text":"b"}' },
      { brief: 'B-12.b1', ref: 'label_add:{"label":"risk:auth"}' },
    ]);
    expect(stateOf(run).criteria.map(({ text }) => text)).toEqual(['a', 'b']);
    const names = run.records.map((record) => ('name' in record ? record.name : record.kind));
    expect(names.lastIndexOf('history')).toBeGreaterThan(names.lastIndexOf('ledger'));
  });

  test('a pause offers four ways; only a reshape is what bare text means, and it needs one', () => {
    const options = conductWorkflow.gates.clarify?.options ?? {};
    expect(Object.keys(options)).toEqual(['accept', 'reshape', 'edit', 'deny']);
    expect(
      Object.entries(options)
        .filter(([, option]) => option.bareText)
        .map(([key]) => key),
    ).toEqual(['reshape']);
    expect(options.reshape?.text).toBe('required');
    const good = drafts(answers(shown(), 'reshape', 'looks good'), clarified());
    expect(stateOf(good)).toMatchObject({ phase: 'Idea', brief: { iteration: 2 } });
  });

  test('CON-109 an edit is the person’s own: no worker is called, and the accept performs what it says', () => {
    const children = ['one', 'two', 'three'].map((key) => ({
      key,
      title: `Part ${key}`,
      description: '',
      priority: 'medium' as const,
      after: [],
      criteria: [],
    }));
    const split = drafts(upTo('Clarified'), decomposed({ children }));
    const payload = stateOf(split).brief?.doc.payload.slice(0, 2);
    const edited = answers(split, 'edit', JSON.stringify({ payload }));
    expect(edited.step).toMatchObject({ kind: 'gate', gate: { name: 'decompose', edition: 2 } });
    expect(stateOf(edited).brief).toMatchObject({ iteration: 2, edited_by: 'ada', revised: true });
    const done = accepts(edited);
    expect(recordsOf(done, 'spawn').map(({ key }) => key)).toEqual(['child-2-one', 'child-2-two']);
    expect(
      refused(split, 'edit', { text: '{"items":[{"kind":"decision","text":"?"}]}' }).message,
    ).toMatchObject({ msg: 'conduct.edit_refused', args: { field: 'items.0' } });
    expect(refused(split, 'edit', { text: 'no json' }).message.args).toMatchObject({ field: 'text' });
  });

  test('CON-101 a remark goes along once, and pre-accepts nothing', () => {
    const accepted = answers(shown(), 'accept', 'also accept the release');
    expect(stateOf(accepted).remark).toMatchObject({ brief: 'B-12.b1', text: 'also accept the release' });
    const used = drafts(accepted, decomposed());
    expect(stateOf(used).remark).toBeNull();
    expect(entriesOf(used, 'consumed')).toEqual([
      { marker: 'remark', brief: 'B-12.b1', text: 'also accept the release' },
    ]);
    const plan = answers(drafts(upTo('Designed'), planned()), 'accept', 'also accept the release and verify');
    const made = built(plan);
    expect(stateOf(made)).toMatchObject({ phase: 'Built', remark: { brief: 'B-12.b4' } });
    const queried = settlePure(made, { kind: 'queried', found: HOST });
    expect(slotsOf(queried, 'release').remark).toBe('also accept the release and verify');
    const release = delivers(queried, { brief: brief('Release it?') });
    expect(release.step).toMatchObject({ kind: 'gate', gate: { name: 'release' } });
    expect(
      release.def.delegate?.(release.state, {
        mode: { kind: 'unattended' },
        trust: 'autonomous',
        content: '',
      }),
    ).toEqual({ kind: 'pause', cause: 'hard-floor' });
    expect(refused(release, 'accept', { by: UNATTENDED as never }).rejection).toBe('not_a_person');
    expect(stateOf(release).remark).toBeNull();
    expect(entriesOf(release, 'consumed')).toHaveLength(1);
  });

  test('CON-100 questions wait for a person in every mode, and their answers reach the worker', () => {
    const asked = drafts(idea(), clarified({ brief: null, decision: null, questions: ['Which format?'] }));
    expect(asked.step).toMatchObject({ kind: 'gate', gate: { name: 'round' } });
    expect(conductWorkflow.gates.round?.class).toBe('question');
    expect(
      conductWorkflow.delegate?.(asked.state, {
        mode: { kind: 'unattended' },
        trust: 'autonomous',
        content: '',
      }),
    ).toMatchObject({ kind: 'pause' });
    const outcome = answerOf(asked, 'answer', { fields: { q1: 'compact' } });
    const move = asked.def.settle(asked.state, asked.step, {
      ...outcome,
      at: '2026-11-15T11:00:00.000Z',
    } as never);
    if (isRejection(move)) throw new Error('refused');
    expect(asked.def.next(move.state)).toMatchObject({ kind: 'work', calls: [{ role: 'clarify' }] });
    expect(JSON.stringify(move.records)).toContain('compact');
  });

  test('CON-90 an accept by a drive at release and verify is refused, a person’s is taken from any surface', () => {
    for (const run of [releaseDrafted(upTo('Built')), verifyDrafted(upTo('Released'))]) {
      expect(refused(run, 'accept', { by: UNATTENDED as never }).rejection).toBe('not_a_person');
      for (const surface of ['cli', 'web', 'mcp', 'github'] as const) {
        const by = { person: 'ada', surface, proof: 'login' } as const;
        const last = recordsOf(answers(run, 'accept', null, by), 'decision').findLast(
          ({ name }) => name === 'brief_resolved',
        );
        expect(last?.data).toMatchObject({ command: 'accept', provenance: `human:${surface}` });
      }
    }
  });
});

test('planned work is a decision of its own', () => {
  const run = accepts(drafts(upTo('Designed'), planned()));
  expect(stateOf(run).plan).toMatchObject({
    accepted: { by: 'ada', decision: 'B-12.d4' },
    provenance: 'human:cli',
    go: true,
  });
  expect(entries(run, 'history').length).toBeGreaterThan(4);
});
