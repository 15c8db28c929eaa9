import { hash } from 'node:crypto';
import type { Change } from '../../src/contract/change.ts';
import type { RunId } from '../../src/contract/ids.ts';
import { canonicalJson } from '../../src/engine/canonical-json.ts';
import type { Input } from '../../src/engine/input.ts';
import { isRejection, type Rejection } from '../../src/engine/rejection.ts';
import { createRun, transition } from '../../src/engine/transition.ts';
import type { At, TransitionContext } from '../../src/engine/write-change.ts';
import { passedIn } from '../support/passed-phases.ts';
import { judgeGraph } from './graph.ts';
import { type Happening, happenings, NOW, stateOf } from './happenings.ts';
import { type Monitor, startMonitor, watch } from './monitor.ts';
import type { Edge, Move, Rule, RuleBreak } from './rule-break.ts';
import { judgeMet, judgeMove, judgeState } from './rules.ts';
import { labelOf, stepName } from './step-name.ts';
import type { World } from './world.ts';

interface Violation {
  readonly rule: Rule;
  readonly what: string;
  /** The shortest way there: the start, then everything that happened, each with where it led. */
  readonly path: readonly string[];
}

export interface Found {
  readonly states: number;
  readonly moves: number;
  /** Most steps in a row without a person. */
  readonly longest: number;
  readonly violations: readonly Violation[];
}

export interface SearchOptions {
  /** More states than this are a violation: a search that was cut short has shown nothing. */
  readonly limit?: number;
  readonly say?: (states: number, moves: number, open: number) => void;
}

const LIMIT = 1_000_000;
const SAY_EVERY = 10_000;
/** Of every so many states a second one with the same key is followed too, to see that the key forgets nothing. */
const TWIN_EVERY = 4;

const CONTEXT: TransitionContext = {
  now: NOW,
  by: 'model',
  hash: (text) => `sha256:${hash('sha256', text)}`,
  lease: { holder: null, epoch: 0, while_idle: false, drive: null },
};

interface Open {
  readonly id: number;
  readonly at: At;
  readonly monitor: Monitor;
  /** Another state with the key of an earlier one: it must go the same ways. */
  readonly twin: boolean;
}

/**
 * Every state a workflow can reach in its small world, each once, nearest first. Everything goes through the engine's own
 * `createRun` and `transition`, so gates, holds, troubles and turns are the real ones.
 */
export function search(world: World, { limit = LIMIT, say }: SearchOptions = {}): Found {
  const view = createView(world);
  const seen = createSeen(world, view);
  const queue: Open[] = [];
  let moves = 0;
  for (const start of world.starts) {
    const move = world.def.start(start.input, start.facts);
    if (isRejection(move)) {
      seen.tell(-1, [{ rule: 'next_step', what: `the start '${start.name}' is refused: ${move.rejection}` }]);
      continue;
    }
    const { policy, run: id } = start.facts;
    const seed = { id: id as RunId, move, policy, parent: null, parent_key: null };
    const change = createRun(world.def, seed, CONTEXT);
    const at = { run: change.run, gate: change.gate_opened };
    seen.pass(change);
    const open = seen.enter({ at, monitor: startMonitor(world) }, { from: -1, name: `start ${start.name}` });
    if (open.fresh) queue.push(open.fresh);
  }
  for (let head = 0; head < queue.length; head += 1) {
    const open = queue[head] as Open;
    queue[head] = undefined as never; // what has been followed may be forgotten
    const possible = happenings(world, open.at);
    if (!open.twin) seen.tell(open.id, judgeState(world, open.at, possible, detour));
    const edges: Edge[] = [];
    for (const happening of possible) {
      moves += 1;
      const move = happen(world, open.at, happening);
      seen.tell(open.id, judgeMove(world, move), happening.name);
      if (move.change) seen.pass(move.change);
      const watched = watch(world, open.monitor, move);
      seen.tell(open.id, watched.told, happening.name);
      if (!move.after) continue;
      if (isSame(open.at, move.after) && watched.monitor.key === open.monitor.key) {
        edges.push(edgeOf(move, open.id));
        continue;
      }
      const via = { from: open.id, name: happening.name };
      const entered = seen.enter({ at: move.after, monitor: watched.monitor }, via);
      if (entered.fresh) queue.push(entered.fresh);
      edges.push(edgeOf(move, entered.id));
    }
    if (open.twin) seen.compare(open.id, edges);
    else seen.leave(open.id, edges);
    if (seen.size() > limit) {
      seen.tell(open.id, [{ rule: 'whole', what: `more than ${limit} states` }]);
      return { states: seen.size(), moves, longest: 0, violations: seen.violations() };
    }
    if (say && head % SAY_EVERY === 0) say(seen.size(), moves, queue.length - head);
  }
  const longest = seen.finish();
  return { states: seen.size(), moves, longest, violations: seen.violations() };

  /** Where a run is after a stop and the resume that lifts it: where it was, or something is wrong. */
  function detour(at: At): boolean {
    const halt = { kind: 'stopped', why: 'stopped', by: 'ada' } as const;
    const stopped = follow(world, at, { kind: 'halt', halt });
    const again = isRejection(stopped) ? stopped : follow(world, stopped.after, { kind: 'resume' });
    return !isRejection(again) && view(again.after) === view(at);
  }
}

function edgeOf({ before, happening, after }: Move, to: number): Edge {
  const { by, gives_up = false } = happening;
  const moved = after?.run.turn !== before.run.turn || after?.gate !== before.gate;
  return { to, by, gives_up, moved };
}

function happen(world: World, before: At, happening: Happening): Move {
  const none = { before, happening, change: null, after: null, refused: null, thrown: null };
  if (isRejection(happening.input)) return { ...none, refused: happening.input };
  try {
    const followed = follow(world, before, happening.input);
    return isRejection(followed) ? { ...none, refused: followed } : { ...none, ...followed };
  } catch (thrown) {
    return { ...none, thrown };
  }
}

function follow(world: World, at: At, input: Input): { change: Change; after: At } | Rejection {
  const change = transition(world.def, at, input, CONTEXT);
  if (isRejection(change)) return change;
  const gate = change.gate_opened ?? (change.gate_closed ? null : at.gate);
  return { change, after: { run: change.run, gate } };
}

/**
 * What tells two states apart: the workflow's state as the world sees it, and of the engine's part the step, the open
 * gate, halt and trouble. Turn, revision, counters and ids are left out: no workflow sees them, and the engine only
 * makes names from them.
 */
function createView(world: World): (at: At) => string {
  const seen = world.seen as Readonly<Record<string, { as: (state: unknown) => unknown } | undefined>>;
  const texts = new WeakMap<object, string>();
  /** Moves copy a state by spreading: what is untouched is the same value and has the same text. */
  const textOf = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return canonicalJson(value ?? null);
    const known = texts.get(value) ?? canonicalJson(value);
    texts.set(value, known);
    return known;
  };
  return ({ run, gate }) => {
    const { state } = run;
    const options = gate ? Object.keys(gate.options).join() : '';
    let text = `${stepName(run.step)}|${options}|${run.halt?.kind ?? ''}|${run.trouble?.kind ?? ''}`;
    if (world.over(stateOf({ run, gate }))) return text;
    for (const field of Object.keys(state)) {
      const look = seen[field];
      text += `|${field}=${textOf(look ? look.as(state) : state[field])}`;
    }
    return text;
  };
}

/** Nothing that a key is made of is another: a signal that was refused. */
function isSame(before: At, after: At): boolean {
  const { run, gate } = after;
  const { state, step, halt, trouble } = before.run;
  const same = run.state === state && run.step === step && run.halt === halt && run.trouble === trouble;
  return same && gate === before.gate;
}

interface Via {
  readonly from: number;
  readonly name: string;
}

/** All states met so far by their keys, how each was met first, and what is wrong with them. */
function createSeen(world: World, view: (at: At) => string) {
  const ids = new Map<string, number>();
  const raws = new Map<number, string | null>();
  const via: Via[] = [];
  const labels: string[] = [];
  const stops: ('gate' | 'wait' | 'end' | null)[] = [];
  const edges: (readonly Edge[])[] = [];
  const found = new Map<string, Violation>();
  const met = new Set<string>();

  const pathTo = (id: number, last?: string): string[] => {
    const path: string[] = last ? [last] : [];
    for (let at = id; at >= 0; at = via[at]?.from ?? -1) path.unshift(`${via[at]?.name} -> ${labels[at]}`);
    return path;
  };
  const tell = (id: number, told: readonly RuleBreak[], last?: string) => {
    for (const { rule, what } of told) {
      const key = `${rule}: ${what}`;
      if (!found.has(key)) found.set(key, { rule, what, path: pathTo(id, last) });
    }
  };
  const rawOf = ({ run }: At) => hash('sha1', JSON.stringify(run.state), 'base64');
  /** The first state of a key whose own words are other than those of the first one. */
  const twinOf = (id: number, at: At) => {
    const raw = raws.get(id);
    if (!raw || raw === rawOf(at)) return false;
    raws.set(id, null);
    return true;
  };

  return {
    tell,
    size: () => via.length,
    violations: () => [...found.values()],
    pass({ events }: Change) {
      for (const phase of passedIn(events)) met.add(`phase ${phase}`);
    },
    enter(
      { at, monitor }: Pick<Open, 'at' | 'monitor'>,
      by: Via,
    ): { readonly id: number; readonly fresh: Open | null } {
      const key = hash('sha1', world.over(stateOf(at)) ? view(at) : `${view(at)} ${monitor.key}`, 'base64');
      const known = ids.get(key);
      if (known !== undefined) {
        const fresh = twinOf(known, at) ? { id: known, at, monitor, twin: true } : null;
        return { id: known, fresh };
      }
      const id = via.length;
      ids.set(key, id);
      if (id % TWIN_EVERY === 0) raws.set(id, rawOf(at));
      via.push(by);
      labels.push(labelOf(at));
      const { kind } = at.run.step;
      stops.push(
        at.run.trouble ? 'gate' : kind === 'gate' || kind === 'wait' || kind === 'end' ? kind : null,
      );
      met.add(`phase ${stateOf(at).phase}`);
      for (const name of metIn(at)) met.add(name);
      return { id, fresh: { id, at, monitor, twin: false } };
    },
    leave(id: number, list: readonly Edge[]) {
      edges[id] = list;
    },
    compare(id: number, list: readonly Edge[]) {
      const first = edges[id] ?? [];
      const other = list.find((edge, n) => edge.to !== first[n]?.to);
      if (!other && list.length === first.length) return;
      const what = `two states with the key of '${labels[id]}' go different ways: ${ways(first, list)}`;
      tell(id, [{ rule: 'faithful', what }]);
    },
    finish() {
      const { longest, located } = judgeGraph(world, { edges, stops, labels });
      for (const { node, ...told } of located) tell(node, [told]);
      tell(-1, judgeMet(world, met));
      return longest;
    },
  };

  function ways(first: readonly Edge[], second: readonly Edge[]): string {
    const n = first.findIndex((edge, index) => edge.to !== second[index]?.to);
    const label = (edge: Edge | undefined) => (edge ? `${edge.to} ${labels[edge.to]}` : 'none');
    return `${label(first[n])} and ${label(second[n])}`;
  }
}

/** Rows of the workflow's tables this state shows to be met. */
function metIn({ run, gate }: At): string[] {
  if (run.trouble) return [];
  if (gate)
    return [`gate ${gate.name}`, ...Object.keys(gate.options).map((key) => `option ${gate.name} ${key}`)];
  return run.step.kind === 'work' ? run.step.calls.map(({ role }) => `role ${role}`) : [];
}
