import type { RunEvent } from '../contract/event.ts';
import type { Gate } from '../contract/gate.ts';
import type { RunId } from '../contract/ids.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { gateDigest } from '../engine/enter-step.ts';
import { AdapterError } from '../engine/errors.ts';
import { fold } from '../engine/fold.ts';
import { coreOf } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';
import { isDamage } from './load.ts';
import type { DoctorReport } from './views.ts';

type Problem = DoctorReport['problems'][number];

const PAGE = 1_000;

/** Finds damage but does not repair it: checks the store file, and with `deep` folds every log against its row. */
export async function doctor(deps: Deps, deep: boolean): Promise<DoctorReport> {
  const problems: Problem[] = (await deps.store.integrity()).map((problem) => ({ run: null, problem }));
  const runs = await deps.store.list({});
  let events = 0;
  for (const { id } of runs) {
    try {
      events += deep ? await inspectDeep(deps, id, problems) : await inspect(deps, id);
    } catch (error) {
      if (!isDamage(error)) throw error;
      problems.push({ run: id, problem: error.failure.detail });
    }
  }
  return { runs: runs.length, events, leftovers: await leftoversOf(deps, problems), problems };
}

/** An unreadable repository is reported as a problem. */
async function leftoversOf(deps: Deps, problems: Problem[]): Promise<DoctorReport['leftovers']> {
  try {
    return (await deps.leftovers?.()) ?? [];
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    problems.push({ run: null, problem: error.message });
    return [];
  }
}

/** Checks that the row and its open gates can be read. */
async function inspect(deps: Deps, id: RunId): Promise<0> {
  await deps.store.load(id);
  await deps.store.openGates(id);
  return 0;
}

/** Checks all data of a run and adds to `problems`. Returns the number of its events. */
async function inspectDeep(deps: Deps, id: RunId, problems: Problem[]): Promise<number> {
  await inspect(deps, id);
  const log = await wholeLog(deps, id);
  problems.push(
    ...(await compare(deps, id, log)),
    ...(await gateProblems(deps, id)),
    ...(await artefactProblems(deps, id)),
  );
  return log.length;
}

async function wholeLog(deps: Deps, id: RunId): Promise<RunEvent[]> {
  const log: RunEvent[] = [];
  for (;;) {
    const page = await deps.store.events(id, log.at(-1)?.seq ?? 0, PAGE);
    log.push(...page);
    if (page.length < PAGE) return log;
  }
}

async function compare(deps: Deps, id: RunId, log: readonly RunEvent[]): Promise<Problem[]> {
  const run = await deps.store.load(id);
  if (!run) return [{ run: id, problem: 'the row is gone' }];
  const gap = log.findIndex((event, index) => event.seq !== index + 1);
  if (gap >= 0) return [{ run: id, problem: `event ${gap + 1} is missing` }];
  if (log.length !== run.seq)
    return [{ run: id, problem: `the row counts ${run.seq} events, the log has ${log.length}` }];
  const folded = fold(log) as unknown as Record<string, unknown>;
  const stored = coreOf(run) as unknown as Record<string, unknown>;
  return Object.keys({ ...folded, ...stored })
    .filter((key) => canonicalJson(folded[key] ?? null) !== canonicalJson(stored[key] ?? null))
    .map((key) => ({ run: id, problem: `'${key}' of the row is not what the log says` }));
}

/** Compares each open gate with the digest that an answer would be bound to. */
async function gateProblems(deps: Deps, id: RunId): Promise<Problem[]> {
  const gates = await deps.store.openGates(id);
  return gates
    .filter((gate) => !isAsAsked(gate, deps.hash))
    .map((gate) => ({ run: id, problem: `gate ${gate.id} is not what its digest says` }));
}

/** If a part of the gate is missing or has another type, no digest can be computed. The gate is then damaged. */
function isAsAsked(gate: Gate, hash: Deps['hash']): boolean {
  try {
    return gateDigest(gate, hash) === gate.digest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}

async function artefactProblems(deps: Deps, id: RunId): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { record } of await deps.store.records(id, 'artefact')) {
    if (record.kind !== 'artefact') continue;
    try {
      await deps.artefacts.get(record.hash);
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      problems.push({ run: id, problem: `document '${record.name}': ${error.message}` });
    }
  }
  return problems;
}
