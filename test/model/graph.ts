import type { Edge, RuleBreak } from './rule-break.ts';
import type { World } from './world.ts';

export interface Graph {
  /** What follows each state, in the order it was tried. */
  readonly edges: readonly (readonly Edge[])[];
  /** Where nothing happens by itself. */
  readonly stops: readonly ('gate' | 'wait' | 'end' | null)[];
  readonly labels: readonly string[];
}

type Numbered = RuleBreak & { readonly node: number };

/** What must hold of the whole: no way round without a person, and a way out of everything for one. */
export function judgeGraph(
  { turns }: World,
  graph: Graph,
): { readonly longest: number; readonly located: readonly Numbered[] } {
  const way = withoutPerson(graph);
  const bounded: Numbered[] =
    way.loop !== null
      ? [{ node: way.node, rule: 'bounded', what: `goes round without a person: ${way.loop.join(' -> ')}` }]
      : way.steps > turns
        ? [
            {
              node: way.node,
              rule: 'bounded',
              what: `${way.steps} steps without a person, more than ${turns}`,
            },
          ]
        : [];
  return { longest: way.steps, located: [...bounded, ...traps(graph), ...deadEnds(graph)] };
}

/** Edges that come by themselves and change something; the same step done anew is a change. */
function goesByItself({ by, to, moved }: Edge, from: number): boolean {
  return (by === 'world' || by === 'run' || by === 'drive') && (to !== from || moved);
}

interface Way {
  readonly node: number;
  readonly steps: number;
  readonly loop: readonly string[] | null;
}

/** Depth first over what comes by itself: a state met again on its own way is a loop, else the longest way is known. */
function withoutPerson({ edges, labels }: Graph): Way {
  const depth = new Int32Array(edges.length).fill(-1);
  const onWay = new Uint8Array(edges.length);
  for (let root = 0; root < edges.length; root += 1) {
    if (depth[root] !== -1) continue;
    const way: { node: number; next: number }[] = [{ node: root, next: 0 }];
    onWay[root] = 1;
    while (way.length > 0) {
      const top = way.at(-1) as { node: number; next: number };
      const edge = edges[top.node]?.[top.next];
      top.next += 1;
      if (!edge) {
        way.pop();
        onWay[top.node] = 0;
        depth[top.node] = longest(edges[top.node] ?? [], top.node, depth);
        continue;
      }
      if (!goesByItself(edge, top.node)) continue;
      if (onWay[edge.to]) {
        const round = way.slice(way.findIndex(({ node }) => node === edge.to));
        return { node: edge.to, steps: 0, loop: round.map(({ node }) => labels[node] ?? '') };
      }
      if (depth[edge.to] !== -1) continue;
      onWay[edge.to] = 1;
      way.push({ node: edge.to, next: 0 });
    }
  }
  const node = depth.indexOf(depth.reduce((a, b) => Math.max(a, b), 0));
  return { node, steps: depth[node] ?? 0, loop: null };
}

function longest(edges: readonly Edge[], node: number, depth: Int32Array): number {
  let most = 0;
  for (const edge of edges) {
    if (goesByItself(edge, node)) most = Math.max(most, 1 + (depth[edge.to] ?? 0));
  }
  return most;
}

/** A gate or wait that nobody can leave. Giving up counts, and a stop that only holds the run does not. */
function traps({ edges, stops, labels }: Graph): Numbered[] {
  return stops.flatMap((rest, node) => {
    if (rest === null || rest === 'end') return [];
    const left = (edges[node] ?? []).some(({ by, moved, to }) => by === 'person' && moved && to !== node);
    return left ? [] : [{ node, rule: 'way_out', what: `nobody can leave '${labels[node]}'` } as const];
  });
}

/** From everywhere an end can be reached without giving the run up. */
function deadEnds({ edges, stops, labels }: Graph): Numbered[] {
  const back: number[][] = edges.map(() => []);
  edges.forEach((list, from) => {
    for (const { to, gives_up } of list) if (!gives_up) back[to]?.push(from);
  });
  const ending = new Uint8Array(edges.length);
  const queue = stops.flatMap((rest, node) => (rest === 'end' ? [node] : []));
  for (const node of queue) ending[node] = 1;
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const from of back[node] ?? []) {
      if (ending[from]) continue;
      ending[from] = 1;
      queue.push(from);
    }
  }
  const node = ending.indexOf(0);
  if (node < 0) return [];
  return [{ node, rule: 'way_out', what: `'${labels[node]}' can only be given up` }];
}
