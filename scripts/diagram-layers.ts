import { createRequire } from 'node:module';
import { arrow, type Box, drawing, labelled, words } from './diagram-svg.ts';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string };
}

const rules: readonly Rule[] = createRequire(import.meta.url)('../.dependency-cruiser.cjs').forbidden;

const TOP = 'composition';
/** Where each layer is drawn; a name in two cells of a row spans both. */
const GRID = [
  [TOP, TOP, TOP],
  ['surfaces', '', ''],
  ['runtime', 'adapters', 'adapters'],
  ['workflows', 'ports', 'files'],
  ['engine', 'engine', 'engine'],
  ['contract', 'messages', 'prompts'],
] as const;
/** Folders without code. */
const DATA = [
  { name: 'messages', note: 'texts as data; seen as ids only' },
  { name: 'prompts', note: 'Markdown, read by src/texts.ts' },
] as const;
const CELL = { width: 290, height: 46 };
const MARGIN = 16;
const GAP = 30;

/** `from ^src/x/ to ^src/(?!(a|b)/)` allows x to import a and b only. */
function importsByLayer(): Map<string, readonly string[]> {
  const found = rules.flatMap(({ from, to }): [string, readonly string[]][] => {
    const [, layer] = /^\^src\/(\w+)\/$/.exec(from.path ?? '') ?? [];
    const [, allowed] = /^\^src\/\(\?!\(?([\w|]+)\)?\/\)$/.exec(to.path ?? '') ?? [];
    return layer && allowed ? [[layer, allowed.split('|').filter((name) => name !== layer)]] : [];
  });
  return new Map(found);
}

const layers = importsByLayer();

/** Files outside the folders that may import adapters. */
function compositionFiles(): string {
  const rule = rules.find(({ to }) => to.path === '^src/adapters/');
  const [, files] = /\(([\w|-]+)\)\\\.ts\$/.exec(rule?.from.pathNot ?? '') ?? [];
  if (!files) throw new Error('no rule says which files may import adapters');
  return `of these files only ${files
    .split('|')
    .map((file) => `${file}.ts`)
    .join(', ')} import adapters`;
}

function pureLayers(): readonly string[] {
  const rule = rules.find(({ name }) => name === 'pure-layers-touch-no-host');
  return /\(([\w|]+)\)/.exec(rule?.from.path ?? '')?.[1]?.split('|') ?? [];
}

function boxOf(name: string): Box {
  const row = GRID.findIndex((cells) => (cells as readonly string[]).includes(name));
  const cells = GRID[row] as readonly string[] | undefined;
  if (!cells) throw new Error(`layer ${name} is not in the drawing`);
  const column = cells.indexOf(name);
  const span = cells.filter((cell) => cell === name).length;
  return {
    x: MARGIN + column * (CELL.width + GAP),
    y: MARGIN + row * (CELL.height + GAP),
    width: span * (CELL.width + GAP) - GAP,
    height: CELL.height,
  };
}

/** Imports that no other import already leads to. */
function nearest(allowed: readonly string[]): readonly string[] {
  return allowed.filter((name) => !allowed.some((other) => layers.get(other)?.includes(name)));
}

function arrowBetween(from: string, to: string): string {
  const [a, b] = [boxOf(from), boxOf(to)];
  const [left, right] = [Math.max(a.x, b.x), Math.min(a.x + a.width, b.x + b.width)];
  const aligned = left < right ? (left + right) / 2 : undefined;
  const [start, end] = [aligned ?? a.x + a.width - 60, aligned ?? b.x + 60];
  const [top, between] = [a.y + a.height, b.y - GAP / 2];
  const path = [
    [start, top],
    [start, between],
    [end, between],
    [end, b.y],
  ] as const;
  return arrow(`${from} to ${to}`, path);
}

/** The layers of src, drawn from the rules about imports. */
export function drawLayers(): string {
  const pure = pureLayers();
  const all = [...layers.keys()];
  const notes = new Map(
    [...layers].map(([name, allowed]) => [
      name,
      allowed.length > 0 ? `imports ${allowed.join(', ')}` : 'imports no other layer',
    ]),
  );
  const arrows = [...layers].flatMap(([name, allowed]) =>
    nearest(allowed).map((to) => arrowBetween(name, to)),
  );
  const tops = nearest(all).map((to) => arrowBetween(TOP, to));
  const legend = MARGIN + GRID.length * (CELL.height + GAP);
  return drawing(MARGIN * 2 + CELL.width * 3 + GAP * 2, legend + 14, 'The layers of src and their imports', [
    ...arrows,
    ...tops,
    labelled(boxOf(TOP), { kind: '', title: 'src/*.ts', note: compositionFiles() }),
    ...all.map((name) =>
      labelled(boxOf(name), {
        kind: pure.includes(name) ? 'pure' : '',
        title: `src/${name}/`,
        note: notes.get(name) ?? '',
      }),
    ),
    ...DATA.map(({ name, note }) => labelled(boxOf(name), { kind: '', title: `src/${name}/`, note })),
    words(
      [MARGIN, legend - 4],
      'An arrow means "imports". Green: pure, without clock, ids, I/O or randomness.',
    ),
  ]);
}
