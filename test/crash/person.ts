import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../../src/contract/event.ts';
import type { Gate } from '../../src/contract/gate.ts';
import type { RunId } from '../../src/contract/ids.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { DriveHandle, StopPoint } from '../../src/runtime/views.ts';
import type { Lab } from '../support/lab.ts';
import { putBack } from './folder.ts';
import { belongs, carryOn, make, nextMove } from './moves.ts';
import type { Scenario, ScriptedAnswer } from './scenario.ts';

/** What the person saw happen, outside the product: one line each, written before the next thing is done. */
export type Seen =
  | { readonly seen: 'answered'; readonly gate: string; readonly iteration: number; readonly option: string }
  | { readonly seen: 'drafted'; readonly gate: string; readonly draft: Readonly<Record<string, string>> }
  | { readonly seen: 'repeated'; readonly what: string };

export interface Journal {
  write(line: Seen): void;
  read(): Seen[];
}

export function openJournal(dir: string): Journal {
  const file = path.join(dir, 'journal.jsonl');
  return {
    write: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`, { flush: true }),
    read: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Seen)
        : [],
  };
}

interface PlayOptions {
  /** Returns after this many stop points, while no drive is open. 0: plays to the end. */
  readonly stops: number;
  /** Called at each stop point, before the person acts. */
  readonly atStop?: (at: StopPoint) => Promise<void>;
}

/** Plays the scenario's person until the run ends: starts or resumes, answers gates, gives commands at halts. */
export async function play(
  lab: Lab,
  scenario: Scenario,
  journal: Journal,
  { stops, atStop = async () => undefined }: PlayOptions,
): Promise<'ended' | 'resting'> {
  const id = await existing(lab, scenario);
  let handle: DriveHandle | null = id ? null : await begin(lab, scenario);
  const run = id ?? (handle as DriveHandle).run;
  for (let round = 1; round <= 60; round++) {
    if (!handle) handle = await carryOn(lab, scenario, run);
    const rest = await handle.advance();
    await handle.close();
    handle = null;
    if (rest.status === 'ended' && rest.run === run) return 'ended';
    await atStop(rest);
    if (rest.status !== 'ended') handle = await act({ lab, scenario, journal, run }, rest);
    if (round !== stops) continue;
    await handle?.close();
    return 'resting';
  }
  throw new Error(`${scenario.name} does not come to an end`);
}

/** Starts the scenario's run; refused input is the scenario's own mistake. */
export async function begin(lab: Lab, scenario: Scenario): Promise<DriveHandle> {
  const { in_place = false, unattended = false } = scenario;
  return lab.start(scenario.workflow, scenario.input, { in_place, unattended });
}

async function existing(lab: Lab, scenario: Scenario): Promise<RunId | null> {
  const runs = await lab.api.list(true);
  const earlier = scenario.before?.length ?? 0;
  const roots = runs.filter((run) => run.parent === null).sort((a, b) => a.id.length - b.id.length);
  return roots[earlier]?.id ?? null;
}

interface Acting {
  readonly lab: Lab;
  readonly scenario: Scenario;
  readonly journal: Journal;
  readonly run: RunId;
}

/** What the person does at this rest; a drive where they opened one with it. */
async function act({ lab, scenario, journal, run }: Acting, rest: StopPoint): Promise<DriveHandle | null> {
  const move = await nextMove(lab, scenario, run);
  if (move && belongs(move, rest)) return make(lab, move, run);
  if (rest.gate && rest.status === 'waiting') await answer(lab, scenario, journal, rest.gate);
  else if (rest.status === 'halted') await command(lab, scenario, rest.run);
  else throw new Error(`${scenario.name} rests at ${rest.status} with nothing to do`);
  return null;
}

async function answer(lab: Lab, scenario: Scenario, journal: Journal, gate: Gate): Promise<void> {
  const trouble = gate.class === 'trouble' && scenario.asks;
  const scripted = trouble ? truthful(lab, gate) : await nextAnswer(lab, scenario, gate);
  if (scripted.draft) {
    await lab.api.storeDraft({ gate: gate.id, digest: gate.digest, draft: scripted.draft });
    journal.write({ seen: 'drafted', gate: gate.id, draft: scripted.draft });
  }
  const { option, text = null, fields = {} } = scripted;
  const typed = scripted.typed ?? (isTyped(gate, option) ? gate.run : null);
  const receipt = await lab.api.answer({
    gate: gate.id,
    answer: { option, text, fields, typed, digest: gate.digest },
  });
  if (isRejection(receipt)) throw new Error(`${gate.name}: ${JSON.stringify(receipt)}`);
  journal.write({ seen: 'answered', gate: gate.id, iteration: gate.iteration, option });
}

/** Release and verify are accepted with the ticket's id. */
function isTyped(gate: Gate, option: string): boolean {
  return gate.class === 'hard' && gate.options[option]?.untyped !== true;
}

/** A build has gates of its own, some with the names of its ticket's. */
function keyOf({ workflow }: Scenario, { run, name }: Gate): string {
  return workflow === 'conduct' && run.startsWith('de-') ? `build/${name}` : name;
}

/** The answer of this gate's turn: how often a gate of this name was answered before is read from the store. */
async function nextAnswer(lab: Lab, scenario: Scenario, gate: Gate): Promise<ScriptedAnswer> {
  const key = keyOf(scenario, gate);
  const before = (await answeredNames(lab, scenario, gate.run)).filter((name) => name === key).length;
  const scripted = scenario.answers[key]?.[before];
  if (!scripted) {
    const asked = JSON.stringify(gate.brief.why);
    throw new Error(`${scenario.name}: no answer number ${before + 1} for gate '${key}': ${asked}`);
  }
  return scripted;
}

/** Names of the gates that the person answered or held, once per answer. */
async function answeredNames(lab: Lab, scenario: Scenario, run: RunId): Promise<string[]> {
  const { store } = lab.deps;
  const held = await store.records(run, 'decision', 'gate_held');
  const ids = [
    ...(await store.answers(run)).filter(({ by }) => 'person' in by).map(({ gate }) => gate),
    ...held.map(({ record }) => (record as { data: { gate: Gate['id'] } }).data.gate),
  ];
  const gates = await Promise.all(ids.map((id) => store.gate(id)));
  return gates.flatMap((gate) => (gate ? [keyOf(scenario, gate)] : []));
}

/** Answers and commands nobody asked for: then the run did not take the way the scenario is about. */
export async function unused(lab: Lab, scenario: Scenario): Promise<string[]> {
  const runs = await lab.api.list(true);
  const names = (await Promise.all(runs.map(({ id }) => answeredNames(lab, scenario, id)))).flat();
  const left = Object.entries(scenario.answers).filter(
    ([name, answers]) => names.filter((one) => one === name).length < answers.length,
  );
  const given = (await Promise.all(runs.map(({ id }) => commandsGiven(lab, id)))).flat();
  const move = await nextMove(lab, scenario, (await existing(lab, scenario)) ?? '');
  return [
    ...(move ? [`nobody came to the move at '${move.at}'`] : []),
    ...left.map(([name]) => `nobody asked for every answer to the gate '${name}'`),
    ...(given.length < (scenario.commands?.length ?? 0) ? ['nobody asked for every command'] : []),
  ];
}

/** Did the deployment happen? The person looks at the place itself. A tree a worker left half done is put back by hand. */
function truthful(lab: Lab, gate: Gate): ScriptedAnswer {
  if (gate.name === 'trouble_tree_changed') {
    putBack(lab.root);
    return { option: 'go_on' };
  }
  if (gate.name !== 'trouble_unknown_effect') throw new Error(`unexpected trouble: ${gate.name}`);
  const log = path.join(lab.root, '..', 'deployed.log');
  const done = existsSync(log) && readFileSync(log, 'utf8').trim() !== '';
  return { option: done ? 'happened' : 'again' };
}

async function commandsGiven(lab: Lab, run: RunId): Promise<RunEvent[]> {
  const events = await lab.deps.store.events(run, 0, 10_000);
  return events.filter((event) => {
    const { signal } = (event.input ?? {}) as { signal?: { type: string } };
    return event.type === 'run_resumed' || (event.type === 'signal_received' && signal?.type === 'command');
  });
}

async function command(lab: Lab, scenario: Scenario, run: RunId): Promise<void> {
  const given = await commandsGiven(lab, run);
  const next = scenario.commands?.[given.length];
  if (!next) {
    const { halt, step } = await lab.row(run);
    const why = JSON.stringify(halt ?? step);
    throw new Error(`${scenario.name} is halted and has no command number ${given.length + 1}: ${why}`);
  }
  const result = await lab.api.command({ run, command: next });
  if (isRejection(result)) throw new Error(`${next}: ${JSON.stringify(result)}`);
}
