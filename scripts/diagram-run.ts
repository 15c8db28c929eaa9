import type { DeliverPhase } from '../src/contract/deliver.ts';
import { CAPS } from '../src/contract/deliver-report.ts';
import { deliverPhases } from '../src/workflows/deliver/phases.ts';
import { arrow, type Box, drawing, labelled, type Point, words } from './diagram-svg.ts';

const MARGIN = 12;
const BOX = { width: 118, height: 42 };
const GAP = { column: 38, row: 26 };
const TOP = 66;
const LANE = { side: 10, below: 26 };

/** Who acts in a phase. Phases without an entry only record what was done. */
const ACTORS: Readonly<
  Partial<Record<DeliverPhase, { readonly kind: 'you' | 'agent' | ''; readonly note: string }>>
> = {
  setup: { kind: 'you', note: 'you: mode, models' },
  planning: { kind: 'agent', note: 'agents plan' },
  plan_done: { kind: 'you', note: 'you: build this?' },
  generating: { kind: 'agent', note: 'an agent writes' },
  verifying: { kind: '', note: 'Baton runs checks' },
  verify_done: { kind: 'you', note: 'you, if repairs fail' },
  evaluating: { kind: 'agent', note: 'an agent judges' },
  evaluate_done: { kind: 'you', note: 'you, if it failed' },
  completed: { kind: 'you', note: 'you: commit?' },
};

/** Why a run goes back. Every backward edge of the phase table needs its entry. */
const REASONS: Readonly<Record<string, string>> = {
  'verify_done>generating': `a check failed: repair, at most ${CAPS.layer1}`,
  'verify_done>verifying': 'again',
  'evaluate_done>generating': `the evaluation failed: repair, at most ${CAPS.layer2}`,
  'evaluate_done>generate_ready': `you ask for another round, at most ${CAPS.rounds}`,
};

interface Placed extends Box {
  readonly column: number;
  readonly row: number;
}

interface Edge {
  readonly from: DeliverPhase;
  readonly to: DeliverPhase;
}

const names = (Object.keys(deliverPhases) as DeliverPhase[]).sort(
  (a, b) => deliverPhases[a].order - deliverPhases[b].order,
);
const columns = columnsOf(names);
const placed = new Map(
  columns.flatMap((phases, column) => phases.map((name, at) => [name, positionOf(column, at)])),
);
const edges: readonly Edge[] = names.flatMap((from) =>
  deliverPhases[from].to.map((to) => ({ from, to: to as DeliverPhase })),
);

/** A phase called `x_ready` begins a column, and `x_done` ends it. */
function columnsOf(phases: readonly DeliverPhase[]): DeliverPhase[][] {
  const found: DeliverPhase[][] = [];
  for (const name of phases) {
    const last = found.at(-1);
    const continues = last?.[0]?.endsWith('_ready') && !last.at(-1)?.endsWith('_done');
    if (last && continues) last.push(name);
    else found.push([name]);
  }
  return found;
}

/** The last phase of all stays level with the phase before it. */
function positionOf(column: number, at: number): Placed {
  const row = column === columns.length - 1 ? (columns.at(-2) ?? []).length - 1 : at;
  const x = MARGIN + column * (BOX.width + GAP.column);
  return { column, row, x, y: TOP + row * (BOX.height + GAP.row), ...BOX };
}

function at(name: DeliverPhase): Placed {
  const found = placed.get(name);
  if (!found) throw new Error(`no phase ${name}`);
  return found;
}

const middle = ({ x, width }: Box) => x + width / 2;
const centre = ({ y, height }: Box) => y + height / 2;
const right = ({ x, width }: Box) => x + width;
const bottom = ({ y, height }: Box) => y + height;
const floor = Math.max(...[...placed.values()].map(bottom));

const isForward = ({ from, to }: Edge) => deliverPhases[to].order === deliverPhases[from].order + 1;
const isLoop = ({ from, to }: Edge) => at(from).column === at(to).column;
const isRestart = ({ to }: Edge) => at(to).row === 0;

function forward({ from, to }: Edge): Point[] {
  const [a, b] = [at(from), at(to)];
  if (a.column === b.column)
    return [
      [middle(a) - 24, bottom(a)],
      [middle(b) - 24, b.y],
    ];
  const lane = right(a) + LANE.side;
  return [
    [right(a), centre(a)],
    [lane, centre(a)],
    [lane, centre(b)],
    [b.x, centre(b)],
  ];
}

function backward(edge: Edge, lane: number): { points: Point[]; caption: Point } {
  const [a, b] = [at(edge.from), at(edge.to)];
  if (isLoop(edge)) {
    return {
      points: [
        [middle(a) + 12, a.y],
        [middle(b) + 12, bottom(b)],
      ],
      caption: [middle(a) + 20, a.y - 9],
    };
  }
  if (isRestart(edge)) {
    const [side, y] = [right(a) + GAP.column / 2, TOP - 32];
    const down = middle(b) + 30;
    return {
      points: [
        [right(a), centre(a) - 12],
        [side, centre(a) - 12],
        [side, y],
        [down, y],
        [down, b.y],
      ],
      caption: [down + 16, y - 6],
    };
  }
  const [side, y] = [b.x - LANE.side * (lane + 1), floor + LANE.below * (lane + 1) - 2];
  const enter = centre(b) + 6 - 12 * lane;
  return {
    points: [
      [middle(a), bottom(a)],
      [middle(a), y],
      [side, y],
      [side, enter],
      [b.x, enter],
    ],
    caption: [b.x + 2, y - 6],
  };
}

/** One `deliver` run, drawn from its phase table. */
export function drawRun(): string {
  const back = edges.filter((edge) => !isForward(edge));
  const missing = back.filter(({ from, to }) => !REASONS[`${from}>${to}`]);
  if (missing.length > 0 || back.length !== Object.keys(REASONS).length)
    throw new Error('REASONS and the backward edges of the phase table differ');
  const below = back.filter((edge) => !isLoop(edge) && !isRestart(edge));
  const width = MARGIN * 2 + columns.length * (BOX.width + GAP.column) - GAP.column;
  const legend = floor + LANE.below * (below.length + 1) + 6;
  const heads = columns.map(([first]) =>
    words([at(first as DeliverPhase).x, at(first as DeliverPhase).y - 8], headOf(first), 'head'),
  );
  return drawing(width, legend + 18, 'A deliver run from setup to completed', [
    ...edges.filter(isForward).map((edge) => arrow(`${edge.from} to ${edge.to}`, forward(edge))),
    ...back.flatMap((edge) => {
      const { points, caption } = backward(edge, below.indexOf(edge));
      return [
        arrow(`${edge.from} to ${edge.to}`, points),
        words(caption, REASONS[`${edge.from}>${edge.to}`] ?? ''),
      ];
    }),
    ...heads,
    ...names.map((name) => labelled(at(name), { kind: '', note: '', ...ACTORS[name], title: name })),
    words(
      [MARGIN, legend + 2],
      'Yellow: the run waits for you. Blue: an agent works. Grey: Baton works alone. Repairs are counted in each round.',
    ),
  ]);
}

function headOf(name = ''): string {
  const word = name.replace('_ready', '');
  return word.charAt(0).toUpperCase() + word.slice(1);
}
