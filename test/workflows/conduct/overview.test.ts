import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { TICKET_STATES, type TicketState } from '../../../src/contract/ticket.ts';
import {
  type OverviewFacts,
  renderOverview,
  ticketOverview,
} from '../../../src/workflows/conduct/overview.ts';
import { translator } from '../../support/texts.ts';

const facts = (state: TicketState, parts: Partial<OverviewFacts> = {}): OverviewFacts => ({
  state,
  prev_state: null,
  track: null,
  mode: { kind: 'controlled' },
  trust: 'balanced',
  classes: [],
  ...parts,
});
const shown = (state: TicketState, parts?: Partial<OverviewFacts>, lang: 'en' | 'ko' = 'en') =>
  renderOverview('B-12', facts(state, parts), translator(lang)).split('\n');
const GATES = ['clarify', 'decompose', 'design', 'plan', 'build', 'release', 'verify'];

/** The seven lines with the first `done` ticked and the next one current, unless the ticket is frozen. */
const lines = (done: number, frozen: 'frozen' | 'live' = 'live') =>
  GATES.map((gate, i) => {
    if (i < done) return `[x] ${gate}: completed`;
    return i === done && frozen === 'live'
      ? `[ ] ${gate}: in progress <- current gate`
      : `[ ] ${gate}: pending`;
  });

describe('the overview', () => {
  test('CON-112 golden text of a ticket at Decomposed', () => {
    expect(shown('Decomposed').join('\n')).toBe(
      [
        'B-12: Decomposed',
        '[x] clarify: completed',
        '[x] decompose: completed',
        '[ ] design: in progress <- current gate',
        '[ ] plan: pending',
        '[ ] build: pending',
        '[ ] release: pending',
        '[ ] verify: pending',
      ].join('\n'),
    );
  });

  test.each([
    ['Captured', lines(0)],
    ['Idea', lines(0)],
    ['Clarified', lines(1)],
    ['Decomposed', lines(2)],
    ['Designed', lines(3)],
    ['Planned', lines(4)],
    ['Built', lines(5)],
    ['Released', lines(6)],
    ['Verified', lines(7)],
    ['Parked', lines(2, 'frozen')],
    ['Cancelled', lines(2, 'frozen')],
  ] as const)('CON-112 CON-103 golden text of %s', (state, expected) => {
    expect(shown(state, { prev_state: 'Decomposed' })).toEqual([`B-12: ${state}`, ...expected]);
  });

  test.each(['Captured', 'Idea', null] as const)('a ticket parked at %s ticks nothing', (prev_state) => {
    expect(shown('Parked', { prev_state })).toEqual(['B-12: Parked', ...lines(0, 'frozen')]);
  });

  test('in Korean ids stay readable', () => {
    expect(shown('Clarified', { mode: { kind: 'escalate' } }, 'ko')).toEqual([
      'B-12: 명확화됨 (Clarified)',
      '[x] 명확화 (clarify): 완료',
      '[ ] 분해 (decompose): 진행 중 (의견이 필요하다고 판단되지 않으면 자동 진행) <- 현재 게이트',
      '[ ] 설계 (design): 예정 (의견이 필요하다고 판단되지 않으면 자동 진행)',
      '[ ] 계획 (plan): 예정 (의견이 필요하다고 판단되지 않으면 자동 진행)',
      '[ ] 구현 (build): 예정 (자동 진행)',
      '[ ] 배포 (release): 예정 (멈춤 - 언제나 사람이 결정)',
      '[ ] 확인 (verify): 예정 (멈춤 - 언제나 사람이 결정)',
    ]);
  });

  test('the open design brief names its track on the design line and nowhere else', () => {
    for (const state of TICKET_STATES) {
      const named = ticketOverview(facts(state, { track: 'technical', prev_state: 'Decomposed' })).filter(
        (line) => line.badges.length > 1,
      );
      expect(named.map((line) => line.phase)).toEqual(state === 'Decomposed' ? ['design'] : []);
    }
    expect(shown('Decomposed', { track: 'ux-ui' })[3]).toBe(
      '[ ] design: in progress <- current gate, ux-ui track',
    );
  });

  test('CON-103 two processes render identical text', () => {
    const here = TICKET_STATES.map((state) =>
      shown(state, { prev_state: 'Built', mode: { kind: 'unattended' } }),
    );
    const program = `
      import { renderOverview } from './src/workflows/conduct/overview.ts';
      import { translator } from './test/support/texts.ts';
      const [states, rest] = JSON.parse(process.argv[1]);
      const text = (state) => renderOverview('B-12', { ...rest, state }, translator('en')).split('\\n');
      process.stdout.write(JSON.stringify(states.map(text)));`;
    const rest = facts('Idea', { prev_state: 'Built', mode: { kind: 'unattended' } });
    const args = ['--input-type=module', '-e', program, JSON.stringify([TICKET_STATES, rest])];
    const there: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(there).toEqual(here);
  });
});

describe('the plan per item', () => {
  const plans = (parts: Partial<OverviewFacts>, state: TicketState = 'Idea') =>
    shown(state, parts)
      .slice(1)
      .map((line) => /\((.*)\)/.exec(line)?.[1] ?? null);
  const yours = 'pause - always yours';

  test.each<[string, Partial<OverviewFacts>, (string | null)[]]>([
    ['controlled has none', {}, [null, null, null, null, null, null, null]],
    [
      'unattended',
      { mode: { kind: 'unattended' } },
      ['auto-advance', 'auto-advance', 'auto-advance', 'auto-advance', 'auto-advance', yours, yours],
    ],
    [
      'partial',
      { mode: { kind: 'partial', pause_at: 'design' } },
      [
        'auto-advance',
        'auto-advance',
        'pause - as you asked',
        'pause - as you asked',
        'starts by itself once you accept the plan',
        yours,
        yours,
      ],
    ],
    [
      'a ticket with risk',
      { mode: { kind: 'unattended' }, classes: ['auth', 'shared-core'] },
      [
        ...Array.from({ length: 4 }, () => 'pause - risk floor: auth, shared-core'),
        'starts by itself once you accept the plan',
        yours,
        yours,
      ],
    ],
    [
      'a brief with a judgement',
      {
        mode: { kind: 'escalate' },
        here: { judgement: { worth: true, signals: ['novel'], why: '' } },
        deliverable: 'design',
      },
      [
        'pause - worth your opinion',
        'auto unless judged worth your opinion',
        yours,
        ...Array.from({ length: 4 }, () => 'not reached: this ticket is only a decision'),
      ],
    ],
    [
      'a cautious trust level has none',
      { mode: { kind: 'unattended' }, trust: 'cautious' },
      Array(7).fill(null),
    ],
  ])('%s', (_sentence, parts, expected) => {
    expect(plans(parts)).toEqual(expected);
  });

  test('what lies behind, and a ticket that ended, has no plan', () => {
    const unattended = { mode: { kind: 'unattended' } } as const;
    expect(plans(unattended, 'Planned').slice(0, 4)).toEqual([null, null, null, null]);
    for (const state of ['Verified', 'Parked', 'Cancelled'] as const) {
      expect(plans({ ...unattended, prev_state: 'Idea' }, state)).toEqual(Array(7).fill(null));
    }
  });
});
