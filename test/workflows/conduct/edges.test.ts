import { describe, expect, test } from 'vitest';
import {
  ACTIVITIES,
  type Activity,
  TICKET_GATES,
  TICKET_STATES,
  type TicketState,
} from '../../../src/contract/ticket.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import {
  edge,
  planReopen,
  refuseAsked,
  ticketPhases,
  walkBack,
} from '../../../src/workflows/conduct/edges.ts';
import { catalogue } from '../../support/texts.ts';

const STATES = [null, ...TICKET_STATES] as const;
const LIVE = TICKET_STATES.slice(0, 8);
const fresh = { stale: false, prev_state: 'Designed' } as const;
const target = (
  from: TicketState | null,
  activity: Activity,
  facts = fresh as Parameters<typeof edge>[2],
) => {
  const found = edge(from, activity, facts);
  return isRejection(found) ? 'refused' : found.to;
};

/** The requirement's own sentences, as `from activity to`. */
const FORWARD = `
  none capturing Captured
  Captured promoting Idea
  Idea clarifying Clarified
  Clarified decomposing Decomposed
  Decomposed designing Designed
  Designed planning Planned
  Planned building Built
  Built releasing Released
  Released verifying Verified`;
const BACK = `
  Clarified revising-promoting Idea
  Decomposed revising-promoting Idea
  Designed revising-promoting Idea
  Decomposed revising-clarifying Clarified
  Designed revising-clarifying Clarified
  Designed revising-decomposing Decomposed
  Planned revising-decomposing Decomposed
  Built revising-decomposing Decomposed
  Planned revising-designing Designed
  Built revising-building Planned
  Released revising-building Built`;
const ENGINE_ONLY = `
  Decomposed rolling-up Released
  Clarified fast-forwarding Verified
  Designed fast-forwarding Verified`;
const read = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim());

/** Every pair of state and activity that leads somewhere, as `from activity to`. */
const allEdges = (activities: readonly Activity[], facts?: Parameters<typeof edge>[2]) =>
  STATES.flatMap((from) =>
    activities.flatMap((activity) => {
      const to = target(from, activity, facts);
      return to === 'refused' ? [] : [`${from ?? 'none'} ${activity} ${to}`];
    }),
  ).sort();
const isBack = (activity: Activity) => activity.startsWith('revising-');
const ANYWHERE: readonly Activity[] = ['parking', 'unparking', 'cancelling', 'researching'];

describe('edges', () => {
  test('CON-29 the forward edges and no others', () => {
    const forward = ACTIVITIES.filter((activity) => !isBack(activity) && !ANYWHERE.includes(activity));
    expect(allEdges(forward)).toEqual([...read(FORWARD), ...read(ENGINE_ONLY)].sort());
  });

  test('CON-29 any other pair is an error that names both', () => {
    for (const from of STATES)
      for (const activity of ACTIVITIES) {
        const found = edge(from, activity, fresh);
        if (!isRejection(found)) continue;
        expect(found.message).toEqual({
          msg: 'conduct.edge.none',
          args: { from: from ?? 'none', activity },
        });
      }
    expect(edge('Idea', 'building', fresh)).toMatchObject({ rejection: 'wrong_moment' });
    expect(edge('Idea', 'flying' as Activity, fresh)).toMatchObject({ rejection: 'wrong_moment' });
    expect(edge('Idea', 'toString' as Activity, fresh)).toMatchObject({ rejection: 'wrong_moment' });
  });

  test('CON-30 the back edges and no others', () => {
    expect(allEdges(ACTIVITIES.filter(isBack))).toEqual(read(BACK).sort());
  });

  test('CON-31 parking and cancelling lead out of every live state and out of no other', () => {
    for (const stale of [false, true]) {
      const facts = { ...fresh, stale };
      expect(allEdges(['parking'], facts)).toEqual(LIVE.map((from) => `${from} parking Parked`).sort());
      expect(allEdges(['cancelling'], facts)).toEqual(
        LIVE.map((from) => `${from} cancelling Cancelled`).sort(),
      );
    }
  });

  test('CON-31 researching leaves every state alone, the unset one too', () => {
    for (const from of STATES)
      for (const stale of [false, true]) {
        expect(edge(from, 'researching', { stale })).toEqual({ to: from });
      }
  });

  test('unparking goes back to where the ticket was parked, and only from there', () => {
    for (const prev_state of LIVE)
      expect(target('Parked', 'unparking', { stale: false, prev_state })).toBe(prev_state);
    for (const from of STATES) {
      if (from !== 'Parked') expect(target(from, 'unparking')).toBe('refused');
    }
    for (const prev_state of [null, 'Verified', 'Parked', 'Cancelled'] as const) {
      expect(edge('Parked', 'unparking', { stale: false, prev_state })).toMatchObject({
        message: { msg: 'conduct.edge.no_way_back' },
      });
    }
  });

  test('CON-33 a stale ticket goes back, is researched, parked or cancelled, and makes no forward edge', () => {
    const stale = { ...fresh, stale: true };
    const allowed = (activity: Activity) => isBack(activity) || ANYWHERE.includes(activity);
    for (const from of STATES)
      for (const activity of ACTIVITIES) {
        const expected = allowed(activity) ? target(from, activity) : 'refused';
        expect(target(from, activity, stale), `${from} ${activity}`).toBe(expected);
      }
    expect(edge('Designed', 'planning', stale)).toMatchObject({
      message: { msg: 'conduct.edge.stale', args: { from: 'Designed', activity: 'planning' } },
    });
  });
});

describe('who may ask for an activity', () => {
  const refused = (by: 'person' | 'worker') =>
    ACTIVITIES.filter((activity) => refuseAsked(activity, by) !== null);

  test('a person may go back, park, unpark and cancel; gates and evidence cannot be asked for', () => {
    expect(refused('person')).toEqual([
      ...['capturing', 'clarifying', 'decomposing', 'designing', 'planning', 'building', 'releasing'],
      ...['verifying', 'rolling-up', 'fast-forwarding'],
    ]);
  });

  test('a worker may only promote and research', () => {
    const allowed = ACTIVITIES.filter((activity) => refuseAsked(activity, 'worker') === null);
    expect(allowed).toEqual(['promoting', 'researching']);
    expect(refuseAsked('flying' as Activity, 'person')).not.toBeNull();
  });
});

describe('opening a gate again', () => {
  /** Source x target of the requirement: the chain, or `-`. */
  const MATRIX: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    Decomposed: { clarify: 'revising-promoting', decompose: 'revising-clarifying', design: '' },
    Designed: {
      clarify: 'revising-promoting',
      decompose: 'revising-clarifying',
      design: 'revising-decomposing',
    },
    Planned: { design: 'revising-decomposing' },
    Built: { design: 'revising-decomposing', build: 'revising-building' },
    Released: { build: 'revising-building revising-building' },
  };
  const TARGETS = {
    clarify: 'Idea',
    decompose: 'Clarified',
    design: 'Decomposed',
    build: 'Planned',
  } as const;

  test('CON-99 the matrix of source and target, and each chain lands on the input of its gate', () => {
    for (const from of TICKET_STATES)
      for (const gate of TICKET_GATES) {
        const found = planReopen(from, gate);
        const chain = isRejection(found) ? undefined : found.hops.join(' ');
        expect(chain, `${from} ${gate}`).toBe(MATRIX[from]?.[gate]);
        if (isRejection(found)) continue;
        const end = found.hops.reduce<TicketState | null | 'refused'>(
          (state, hop) => (state === 'refused' ? state : target(state, hop, { stale: true })),
          from,
        );
        expect(end).toBe(found.target);
        expect(end).toBe(TARGETS[gate as keyof typeof TARGETS]);
        expect(found.hops.length).toBeLessThanOrEqual(4);
      }
  });

  test.each([
    ['Planned', 'build', 'Built, Released', 'design'],
    ['Idea', 'design', 'Decomposed, Designed, Planned, Built', 'none'],
    ['Built', 'release', 'none', 'design, build'],
    ['Verified', 'build', 'Built, Released', 'none'],
    ['Decomposed', 'plan', 'none', 'clarify, decompose, design'],
  ] as const)(
    'CON-99 %s to %s is rejected and the allowed ones are named',
    (from, gate, sources, targets) => {
      expect(planReopen(from, gate)).toMatchObject({
        message: { msg: 'conduct.reopen.not_from', args: { from, target: gate, sources, targets } },
      });
    },
  );

  test('a way that is too long, or none at all, is stuck', () => {
    expect(walkBack('Released', 'Planned', 2)).toEqual(['revising-building', 'revising-building']);
    expect(walkBack('Released', 'Planned', 1)).toBeNull();
    expect(walkBack('Idea', 'Planned', 4)).toBeNull();
    expect(walkBack('Released', 'Idea', 4)).toEqual([
      'revising-building',
      'revising-decomposing',
      'revising-promoting',
    ]);
    expect(walkBack('Built', 'Decomposed', 4)).toEqual(['revising-decomposing']);
  });
});

describe('phases of the engine', () => {
  test('they hold every edge and no other', () => {
    for (const from of TICKET_STATES) {
      const reached = ACTIVITIES.filter((activity) => activity !== 'researching').flatMap((activity) =>
        LIVE.map((prev_state) => target(from, activity, { stale: false, prev_state })).filter(
          (to) => to !== 'refused',
        ),
      );
      expect(new Set(ticketPhases[from].to)).toEqual(new Set(reached));
    }
    expect(TICKET_STATES.filter((state) => ticketPhases[state].to.length === 0)).toEqual([
      'Verified',
      'Cancelled',
    ]);
  });

  test('they stand in the order of a ticket’s life and have a label', () => {
    expect(TICKET_STATES.map((state) => ticketPhases[state].order)).toEqual(TICKET_STATES.map((_, i) => i));
    for (const state of TICKET_STATES)
      expect(catalogue('en', 'conduct')).toHaveProperty([ticketPhases[state].label.msg]);
  });
});
