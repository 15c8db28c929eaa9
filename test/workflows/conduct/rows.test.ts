import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnsweredBy } from '../../../src/contract/answer.ts';
import type { ConductState } from '../../../src/contract/conduct.ts';
import type { MoveRecord } from '../../../src/contract/move.ts';
import { TERMINAL_STATES, TICKET_STATES } from '../../../src/contract/ticket.ts';
import { next } from '../../../src/workflows/conduct/decide.ts';
import { metaView, ticketRow } from '../../../src/workflows/conduct/row.ts';
import { faultOf, judgeWorkerEnd, type WorkerEnd } from '../../../src/workflows/conduct/worker-end.ts';
import { type PureRun, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  clarified,
  command,
  decomposed,
  designed,
  drafts,
  HOST,
  planned,
  recordsOf,
  stateOf,
  ticket,
  UNATTENDED,
  upTo,
} from './fixture.ts';

const STALE = { type: 'convention', id: 'D-1', superseded_by: null };
const child: ConductState['children'][number] = {
  key: 'one',
  id: 'B-13',
  title: 'Part',
  state: 'Idea',
  archived: false,
  after: [],
};

describe('the order of the loop', () => {
  const shown = () => stateOf(drafts(upTo('Decomposed'), designed()));
  const stepOf = (state: ConductState) => {
    const step = next(state);
    if (step.kind === 'gate') return `gate ${step.gate.name}`;
    if (step.kind === 'query')
      return `look for ${JSON.stringify(step.what.input).includes('"operations","data","product","customer","process"') ? 'the patch' : 'the gate'}`;
    return step.kind === 'wait' && step.until.kind === 'command'
      ? `wait ${step.until.commands.join(' ')}`
      : step.kind;
  };
  const word = (run: PureRun, state: ConductState) =>
    run.def.delegate?.(state as never, { mode: { kind: 'unattended' }, trust: 'balanced', content: '' });

  test.each<[string, () => ConductState, string]>([
    ['over before awaiting', () => ({ ...shown(), phase: 'Cancelled', ended: true }), 'end'],
    [
      'over before stale',
      () => ({ ...shown(), phase: 'Verified', ended: true, stale: STALE, brief: null }),
      'end',
    ],
    [
      'parked before awaiting',
      () => ({ ...shown(), phase: 'Parked', prev_state: 'Decomposed' }),
      'wait unpark',
    ],
    [
      'parked before stale',
      () => ({ ...shown(), phase: 'Parked', brief: null, stale: STALE }),
      'wait unpark',
    ],
    ['awaiting before stale', () => ({ ...shown(), stale: STALE }), 'gate design'],
    ['awaiting before the state’s gate', shown, 'gate design'],
    [
      'stale before Captured',
      () => ({ ...stateOf(ticket()), idle_because: null, stale: STALE }),
      'look for the patch',
    ],
    [
      'stale before the state’s gate',
      () => ({ ...stateOf(upTo('Designed')), stale: STALE }),
      'look for the patch',
    ],
    ['else the state’s gate', () => stateOf(upTo('Designed')), 'look for the gate'],
  ])('CON-24 %s', (_, state, step) => {
    expect(stepOf(state())).toBe(step);
  });

  test('CON-24 the delegation test of a row that awaits and is stale pauses, and a stale captured ticket is not promoted', () => {
    const run = drafts(upTo('Decomposed'), designed());
    expect(word(run, shown())).toEqual({ kind: 'accept' });
    expect(word(run, { ...shown(), stale: STALE })).toEqual({ kind: 'pause', cause: 'stale' });
    const stale = command(
      signalPure(ticket(), { type: 'fact', what: 'superseded', value: STALE }),
      'conduct',
    );
    expect(stateOf(stale).phase).toBe('Captured');
    expect(stepOf(stateOf(stale))).toBe('look for the patch');
  });
});

describe('the end of a worker', () => {
  const row = (more: Partial<WorkerEnd['row']> = {}): WorkerEnd['row'] => ({
    phase: 'Idea',
    brief: null,
    round: null,
    stale: null,
    children: [],
    ...more,
  });
  const clean: WorkerEnd = {
    row: row(),
    awaiting: false,
    deadline_passed: false,
    exit: 0,
    board_changed: false,
    branch_moved: false,
  };
  /** Each rule in its order, and the facts that make it hold. */
  const RULES: readonly (readonly [string, Partial<WorkerEnd>])[] = [
    ['wait', { awaiting: true }],
    ...TERMINAL_STATES.map((phase) => ['complete', { row: row({ phase }) }] as const),
    ['complete', { row: row({ phase: 'Decomposed', children: [child] }) }],
    ['stale', { row: row({ stale: STALE }) }],
    ['worker-timeout', { deadline_passed: true }],
    ['dirty-exit', { exit: 1 }],
    ['dirty-exit', { exit: null }],
    ['advanced', { board_changed: true }],
    ['repo-active-board-silent', { branch_moved: true }],
    ['no-progress', {}],
  ];
  const both = (a: Partial<WorkerEnd>, b: Partial<WorkerEnd>): WorkerEnd => {
    const parts = {
      ...b.row,
      ...Object.fromEntries(
        Object.entries(a.row ?? {}).filter(([key, value]) => value !== row()[key as never]),
      ),
    };
    return { ...clean, ...b, ...a, row: { ...row(), ...parts } };
  };

  test.each(RULES)('CON-21 rule %# says %s', (kind, facts) => {
    expect(judgeWorkerEnd({ ...clean, ...facts })).toBe(kind);
  });

  test('CON-21 when two hold the earlier one decides', () => {
    for (const [i, [kind, first]] of RULES.entries())
      for (const [, second] of RULES.slice(i + 1)) expect(judgeWorkerEnd(both(first, second))).toBe(kind);
    const archived = row({ phase: 'Decomposed', children: [{ ...child, archived: true }] });
    expect(judgeWorkerEnd({ ...clean, row: archived })).toBe('no-progress');
  });

  test('CON-22 a state that was reached without its brief is torn, after everything that is a clearer fault', () => {
    for (const phase of ['Built', 'Released'] as const) {
      const torn = { ...clean, board_changed: true, row: row({ phase }) };
      expect(judgeWorkerEnd(torn)).toBe('torn');
      expect(judgeWorkerEnd({ ...torn, branch_moved: true })).toBe('torn');
      expect(judgeWorkerEnd({ ...torn, exit: 1 })).toBe('dirty-exit');
      expect(judgeWorkerEnd({ ...torn, awaiting: true })).toBe('wait');
      const brief = stateOf(drafts(upTo('Idea'), clarified())).brief;
      expect(judgeWorkerEnd({ ...torn, row: row({ phase, brief }) })).toBe('advanced');
    }
    for (const phase of TICKET_STATES.slice(0, 6))
      expect(judgeWorkerEnd({ ...clean, board_changed: true, row: row({ phase }) })).toBe('advanced');
  });

  test('CON-22 Built with nobody asked and no accept on record leads to the brief, whatever the row looks like', () => {
    const built = stateOf(upTo('Built'));
    fc.assert(
      fc.property(
        fc.constantFrom('query', 'draft', 'recheck'),
        fc.boolean(),
        fc.constantFrom(null, 'other'),
        (stage, queried, head) => {
          const accepted = head
            ? { by: 'ada', at: '2026-11-15T10:00:00.000Z', provenance: 'human:cli', head_sha: head }
            : null;
          const release = {
            ...built.release,
            stage,
            found: queried ? HOST : null,
            accepted,
          } as ConductState['release'];
          let run = { ...upTo('Built'), state: { ...built, release } as never };
          run = { ...run, step: run.def.next(run.state) };
          const after = run.step.kind === 'query' ? settlePure(run, { kind: 'queried', found: HOST }) : run;
          expect('op' in after.step).toBe(false);
          expect(stateOf(after).phase).toBe('Built');
        },
      ),
      { numRuns: 30 },
    );
  });

  test('a call that gave nothing valid is a timeout, a dirty exit or no progress', () => {
    const bad = (kind: 'dispatch_failed' | 'parse_failed', cause: string) =>
      faultOf({ kind, detail: '', text: null, attempts: 1, cause });
    expect(bad('dispatch_failed', 'deadline')).toBe('worker-timeout');
    expect(bad('dispatch_failed', 'silent')).toBe('dirty-exit');
    expect(bad('parse_failed', 'invalid')).toBe('no-progress');
  });
});

test('CON-62 classes and markers are the same in the lean view of any ticket', () => {
  const shown = stateOf(drafts(upTo('Decomposed'), designed()));
  const texts = fc.constantFrom('nothing', 'alter table', 'log in', 'purge it', 'no migration');
  const state = fc
    .record({
      title: texts,
      description: texts,
      labels: fc.subarray(['risk:auth', 'core', 'x']),
      detail: texts,
      remark: fc.boolean(),
    })
    .map(({ detail, remark, ...rest }) => ({
      ...shown,
      ...rest,
      pending: { command: 'iterate' as const, detail },
      remark: remark ? { brief: 'B-12.b1', text: detail } : null,
    }));
  let classes = 0;
  fc.assert(
    fc.property(
      state,
      texts,
      fc.subarray(['src/auth/a.ts', 'db/x.sql', 'src/a.ts']),
      (now, content, paths) => {
        const whole = ticketRow(now, content, paths);
        classes += whole.risk_classes.length;
        const meta = metaView(whole);
        expect(Object.keys(meta).length).toBeLessThan(Object.keys(whole).length);
        for (const key of [
          'risk_classes',
          'pending_resolution',
          'pending_remark',
          'active_round',
          'active_brief_iteration',
        ] as const)
          expect(meta[key]).toEqual(whole[key]);
      },
    ),
  );
  expect(classes).toBeGreaterThan(10);
});

describe('parity', () => {
  const parts = ['one', 'two'].map((key) => ({
    key,
    title: `Part ${key}`,
    description: 'x',
    priority: 'high' as const,
    after: [],
    criteria: key === 'one' ? ['AC-1'] : [],
  }));
  const ESCALATE: AnsweredBy = { agent: 'escalate', drive: 'dr-1' };
  const JUDGED = {
    kind: 'ok',
    result: { worth: false, signals: [], why: '' },
    artefact: 'sha256:00',
    line: null,
  } as const;
  /** The judge looks before an accept in escalate mode. */
  const judged = (run: PureRun, by: AnsweredBy) =>
    by === ESCALATE
      ? settlePure(signalPure(run, { type: 'judge' }), { kind: 'worked', calls: [JUDGED as never] })
      : run;
  const go = (by: AnsweredBy, ...results: readonly unknown[]) =>
    results.reduce<PureRun>(
      (run, result) => accepts(judged(drafts(run, result), by), by),
      command(ticket(), 'conduct'),
    );
  const whole = (by: AnsweredBy) =>
    go(
      by,
      clarified({ labels: ['ui'] }),
      decomposed(),
      designed({ tracks: ['product', 'technical'] }),
      designed({
        tracks: ['product', 'technical'],
        decision: { title: 'Second', body: 'x', domains: ['data'] },
      }),
      planned(),
    );
  const split = (by: AnsweredBy) =>
    go(by, clarified({ criteria: ['a', 'b'] }), decomposed({ children: parts }));

  const KEPT: readonly MoveRecord['kind'][] = [
    'knowledge',
    'knowledge_status',
    'knowledge_link',
    'spawn',
    'entry',
    'decision',
    'message',
  ];
  /** Everything that lasts, without who and when. */
  const lasting = (run: PureRun) =>
    strip({
      state: { ...run.state, judged: null },
      records: KEPT.flatMap((kind) => recordsOf(run, kind)).filter(
        (record) => !('name' in record && record.name === 'judgement'),
      ),
    });
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => !['by', 'provenance', 'at'].includes(key));
    return Object.fromEntries(kept.map(([key, one]) => [key, strip(one)]));
  };

  test('CON-53 CON INV-04 the same for any outputs of the workers', () => {
    const texts = (name: string) =>
      fc.subarray([`${name} one`, `${name} two`, `${name} three`], { minLength: 1 });
    const tracks = fc.subarray(['product', 'technical', 'ux-ui'] as const, { minLength: 1 });
    const outputs = fc.record({
      criteria: texts('criterion'),
      labels: fc.subarray(['ui', 'docs']),
      tracks,
      checklist: texts('step'),
      split: fc.boolean(),
      taken: fc.boolean(),
    });
    fc.assert(
      fc.property(outputs, fc.constantFrom(UNATTENDED, ESCALATE), (given, by) => {
        const { criteria, labels, split: divided, taken } = given;
        const children = parts.map((one) => ({
          ...one,
          criteria: taken && one.key === 'one' ? ['AC-1'] : [],
        }));
        const results = [
          clarified({ criteria, labels }),
          decomposed(divided ? { children } : {}),
          ...(divided ? [] : given.tracks.map(() => designed({ tracks: given.tracks }))),
          ...(divided ? [] : [planned({ checklist: given.checklist })]),
        ];
        expect(lasting(go(by, ...results))).toEqual(lasting(go(ADA, ...results)));
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    ['unattended', UNATTENDED],
    ['escalate', ESCALATE],
    ['partial:verify', { agent: 'partial:verify', drive: 'dr-1' }],
  ])('CON-53 CON INV-04 what %s accepts leaves what a person’s accepts leave', (_, by) => {
    for (const led of [whole, split]) {
      const person = led(ADA);
      const drive = led(by);
      expect(lasting(drive)).toEqual(lasting(person));
      expect(recordsOf(person, 'knowledge_status').length).toBeGreaterThan(1);
    }
    expect(stateOf(whole(by)).phase).toBe('Planned');
    expect(recordsOf(split(by), 'spawn')).toHaveLength(2);
    const froms = recordsOf(whole(by), 'decision').flatMap(({ name, data }) =>
      name === 'brief_resolved' ? [(data as { provenance: string }).provenance] : [],
    );
    expect(new Set(froms)).toEqual(new Set([`agent:${'agent' in by ? by.agent : ''}`]));
  });
});
