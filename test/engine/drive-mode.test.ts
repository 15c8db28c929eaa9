import { describe, expect, test } from 'vitest';
import { type DriveMode, TICKET_GATES } from '../../src/contract/ticket.ts';
import { type GatePlan, planRun, type RunFacts } from '../../src/engine/delegation.ts';
import {
  flagOf,
  formatMode,
  isDelegating,
  type ModeFlags,
  modeFromFlags,
  parseMode,
} from '../../src/engine/drive-mode.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { translator } from '../support/texts.ts';

const GATES = 'clarify, decompose, design, plan, build, release, verify';
const problem = (flags: object) => {
  const found = modeFromFlags(flags);
  return isRejection(found) ? translator('en')(found.message) : found;
};

describe('flags', () => {
  test.each<[ModeFlags, DriveMode]>([
    [{}, { kind: 'controlled' }],
    [{ pauseAt: undefined, unattended: false, escalate: null }, { kind: 'controlled' }],
    [{ unattended: true }, { kind: 'unattended' }],
    [{ escalate: true, unattended: false }, { kind: 'escalate' }],
    ...TICKET_GATES.map((pause_at): [ModeFlags, DriveMode] => [
      { pauseAt: pause_at },
      { kind: 'partial', pause_at },
    ]),
  ])('CON-03 %j is %j', (flags, mode) => {
    expect(modeFromFlags(flags)).toEqual(mode);
  });

  test.each(['desing', '', true, 'Design', 'design ', 'toString', 3])(
    'CON-04 --pause-at %j lists the seven gates',
    (pauseAt) => {
      expect(problem({ pauseAt })).toBe(
        `--pause-at "${typeof pauseAt === 'string' ? pauseAt : ''}": no such gate. Allowed: ${GATES}.`,
      );
    },
  );

  test.each([
    [{ pauseAt: 'design', unattended: true }, '--pause-at, --unattended'],
    [{ pauseAt: 'design', escalate: true }, '--pause-at, --escalate'],
    [{ unattended: true, escalate: true }, '--unattended, --escalate'],
    [{ pauseAt: 'nonsense', unattended: true }, '--pause-at, --unattended'],
    [{ pauseAt: 'design', unattended: true, escalate: true }, '--pause-at, --unattended, --escalate'],
  ])('CON-05 %j exclude each other', (flags, named) => {
    expect(problem(flags)).toBe(`${named} exclude each other. Give one of them.`);
  });

  test.each(['unattnded', 'escalte', 'constructor'])(
    'a flag "%s" is refused and the allowed ones are said',
    (flag) => {
      expect(problem({ [flag]: true })).toBe(
        `"${flag}" is not an option of conduct. Allowed: --pause-at <${TICKET_GATES.join('|')}>, --unattended, --escalate.`,
      );
    },
  );

  test('a value where none belongs never delegates', () => {
    expect(problem({ unattended: 'no' })).toBe(
      '--unattended "no": it takes no value. Give it or leave it out.',
    );
    expect(problem({ escalate: 0 })).toBe('--escalate "0": it takes no value. Give it or leave it out.');
  });

  test('a refusal of flags is a usage error', () => {
    expect(modeFromFlags({ pauseAt: 'x' })).toMatchObject({ rejection: 'bad_input' });
  });
});

describe('modes as text', () => {
  test('every mode comes back from its text, and the flag makes it again', () => {
    const texts = ['controlled', 'unattended', 'escalate', ...TICKET_GATES.map((gate) => `partial:${gate}`)];
    for (const text of texts) expect(formatMode(parseMode(text) as DriveMode)).toBe(text);
    expect(texts.map((text) => flagOf(parseMode(text) as DriveMode))).toEqual([
      '',
      '--unattended',
      '--escalate',
      ...TICKET_GATES.map((gate) => `--pause-at ${gate}`),
    ]);
    expect(texts.filter((text) => isDelegating(parseMode(text) as DriveMode))).toEqual(texts.slice(1));
  });

  test.each(['', 'partial', 'partial:', 'partial:desing', 'Unattended', 'agent:unattended', null, 3, {}])(
    '%j is no mode',
    (text) => expect(parseMode(text)).toBeNull(),
  );
});

describe('the plan of a run before it runs', () => {
  const facts = (parts: Partial<RunFacts>): RunFacts => ({
    mode: { kind: 'unattended' },
    trust: 'balanced',
    state: 'Captured',
    classes: [],
    ...parts,
  });
  const short = ({ will }: GatePlan) => (will.kind === 'pause' ? will.cause : will.kind);
  const plan = (parts: Partial<RunFacts>) => planRun(facts(parts)).map(short).join(' ');
  const partial = (pause_at: (typeof TICKET_GATES)[number]) => ({ kind: 'partial', pause_at }) as const;

  test.each<[string, Partial<RunFacts>, string]>([
    [
      'controlled',
      { mode: { kind: 'controlled' } },
      'controlled controlled controlled controlled follows controlled controlled',
    ],
    ['unattended', {}, 'accept accept accept accept accept hard-floor hard-floor'],
    ['escalate', { mode: { kind: 'escalate' } }, 'judge judge judge judge accept hard-floor hard-floor'],
    [
      'pause at design',
      { mode: partial('design') },
      'accept accept pause-at pause-at follows hard-floor hard-floor',
    ],
    [
      'pause at build',
      { mode: partial('build') },
      'accept accept accept accept pause-at hard-floor hard-floor',
    ],
    ['a cautious dial', { trust: 'cautious' }, 'dial dial dial dial follows dial dial'],
    [
      'a ticket with risk',
      { classes: ['auth'] },
      'risk-floor risk-floor risk-floor risk-floor follows hard-floor hard-floor',
    ],
    ['on the way', { state: 'Designed' }, 'done done done accept accept hard-floor hard-floor'],
    [
      'a stale ticket',
      { state: 'Designed', here: { stale: true } },
      'done done done stale follows hard-floor hard-floor',
    ],
    [
      'a brief a person changed',
      { here: { revised: true } },
      'revised accept accept accept accept hard-floor hard-floor',
    ],
    [
      'a brief with risk',
      { here: { classes: ['auth'] } },
      'risk-floor accept accept accept accept hard-floor hard-floor',
    ],
    ['decision-only', { deliverable: 'design' }, 'accept accept hard-floor skipped skipped skipped skipped'],
    [
      'a plan by a person',
      { state: 'Planned', plan_by_person: true, mode: { kind: 'controlled' } },
      'done done done done follows controlled controlled',
    ],
    [
      'a plan by a drive',
      { state: 'Planned', mode: { kind: 'controlled' } },
      'done done done done controlled controlled controlled',
    ],
    ['a parked ticket', { state: 'Parked' }, ''],
  ])('%s', (_sentence, parts, expected) => {
    expect(plan(parts)).toBe(expected);
  });

  test('CON-08 --pause-at release and verify do what --unattended does before release', () => {
    for (const gate of ['release', 'verify'] as const) {
      const mode = modeFromFlags({ pauseAt: gate }) as DriveMode;
      expect(mode).toEqual(partial(gate));
      for (const trust of ['cautious', 'balanced', 'autonomous'] as const)
        for (const classes of [[], ['auth' as const]]) {
          expect(planRun(facts({ mode, trust, classes }))).toEqual(planRun(facts({ trust, classes })));
        }
    }
  });
});
