import type { GateId } from '../../contract/ids.ts';
import type { Run } from '../../contract/run.ts';
import type { RunFilter, RunStateRow, RunSummary, SpendTotal, Store } from '../../ports/store.ts';
import { commit, ownerOf } from './commit.ts';
import { createKnowledgeReads } from './knowledge-reads.ts';
import { createKnowledgeWrites } from './knowledge-writes.ts';
import { createSides } from './sides.ts';
import { copy, createTables, type Tables } from './tables.ts';

export interface MemoryStoreOptions {
  readonly now: () => string;
  /** Given to several stores, they behave like processes on one file. */
  readonly tables?: Tables;
}

/** A store that forgets everything with its tables: for tests, under the same suite as the real one. */
export function createMemoryStore({ now, tables = createTables() }: MemoryStoreOptions): Store {
  let own = 0;
  const wrote = <T>(result: T): T => {
    own++;
    tables.writes++;
    return result;
  };
  return {
    ...createReads(tables),
    ...createKnowledgeReads(tables),
    ...createKnowledgeWrites(tables, wrote),
    ...createSides(tables, now, wrote),
    commit: async (changes) => {
      const result = commit(tables, changes);
      return result.kind === 'committed' ? wrote(result) : result;
    },
    version: () => tables.writes - own,
    integrity: async () => [],
    close: () => {},
  };
}

type Reads = Pick<
  Store,
  | 'load'
  | 'findRuns'
  | 'list'
  | 'states'
  | 'nextNumber'
  | 'owners'
  | 'owner'
  | 'effects'
  | 'gate'
  | 'openGates'
  | 'answers'
  | 'answerOf'
  | 'draft'
  | 'events'
  | 'records'
  | 'pending'
  | 'lastBeat'
  | 'drive'
  | 'spend'
>;

function createReads(t: Tables): Reads {
  return {
    load: async (id) => copy(t.runs.get(id)),
    findRuns: async (prefix) =>
      [...t.runs.keys()]
        .filter((id) => id.startsWith(prefix))
        .sort()
        .slice(0, 10),
    list: async (filter) => list(t, filter),
    states: async (workflow, filter) => states(t, workflow, filter),
    nextNumber: async (key) => nextNumber(t, key),
    owners: async () => list(t, { ended: false }).filter(({ subject }) => subject !== null),
    owner: async (subject) => ownerOf(t, subject),
    effects: async (run, turn) =>
      copy([...t.effects.values()].filter((effect) => effect.run === run && effect.turn === turn)).sort(
        (a, b) => a.n - b.n,
      ),
    gate: async (id) => copy(t.gates.get(id)),
    openGates: async (run) =>
      copy(
        [...t.gates.values()].filter((gate) => gate.status === 'open' && (run ?? gate.run) === gate.run),
      ).sort((a, b) => compare(a.opened_at, b.opened_at)),
    answers: async (run) => copy([...t.answers.values()].filter((answer) => answer.run === run)),
    answerOf: async (gate, iteration) => copy(t.answers.get(`${gate}#${iteration}`)),
    draft: async (gate) => copy(t.drafts.get(gate)) ?? {},
    events: async (run, after, limit) =>
      copy((t.events.get(run) ?? []).filter((event) => event.seq > after).slice(0, limit)),
    records: async (run, kind, name) =>
      copy(
        (t.records.get(run) ?? []).filter(({ record }) => {
          const named = name === undefined || ('name' in record && record.name === name);
          return named && (kind ?? record.kind) === record.kind;
        }),
      ),
    pending: async (run) =>
      [...t.inbox.values()]
        .filter((item) => !item.done && (run ?? item.run) === item.run)
        .map(({ done, ...item }) => copy(item)),
    lastBeat: async (run) => t.beats.get(run) ?? null,
    drive: async (run) => copy(t.drives.get(run)?.at(-1)),
    spend: async (run, effect) => {
      const asked = [...t.spend].filter(([key]) => effect === undefined || key.startsWith(`${effect}.`));
      return total(asked.map(([, row]) => row).filter((row) => row.run === run));
    },
  };
}

function list(t: Tables, { status, ended, parent, limit }: RunFilter): RunSummary[] {
  const wanted = [...t.runs.values()].reverse().filter((run) => {
    const kin = parent === undefined || run.parent === parent;
    const asked = kin && (status === undefined || status.includes(run.status));
    return asked && (ended === undefined || ended === (run.status === 'ended'));
  });
  const sorted = wanted.sort((a, b) => compare(b.created_at, a.created_at));
  return sorted.slice(0, limit).map((run) => copy(toSummary(run)));
}

function states(t: Tables, workflow: string, { ended, limit }: RunFilter = {}): RunStateRow[] {
  const asked = [...t.runs.values()].filter(
    (run) => run.workflow === workflow && (ended ?? run.status === 'ended') === (run.status === 'ended'),
  );
  return asked.slice(-(limit ?? asked.length)).map((run) => {
    const { id, state, status, parent, created_at, updated_at } = run;
    const gate = t.gates.get(openGateOf(run) ?? '.g0');
    const waiting_since = gate?.status === 'open' ? gate.opened_at : null;
    return copy({ id, state, status, parent, created_at, updated_at, waiting_since });
  });
}

function nextNumber(t: Tables, key: string): number {
  const ids = [...t.runs.keys()].filter((id) => id.startsWith(`${key}-`));
  const numbers = ids.map((id) => id.slice(key.length + 1)).filter((rest) => /^\d+$/.test(rest));
  return Math.max(0, ...numbers.map(Number)) + 1;
}

function toSummary(run: Run): RunSummary {
  const { id, workflow, title, lang, status, phase, turn, subject, step } = run;
  const { halt, trouble, holder, parent, created_at, updated_at } = run;
  const what = { id, workflow, title, lang, status, phase, turn, subject, step };
  return { ...what, halt, trouble, holder, parent, created_at, updated_at, gate: openGateOf(run) };
}

function openGateOf(run: Run): GateId | null {
  if (run.status === 'ended') return null;
  return run.trouble?.gate ?? (run.step.kind === 'gate' ? run.step.gate : null);
}

function total(rows: readonly Omit<SpendTotal, 'attempts'>[]): SpendTotal {
  let sum: SpendTotal = { money_usd: 0, money_unknown: false, tokens: 0, seconds: 0, attempts: 0 };
  for (const row of rows) {
    sum = {
      money_usd: sum.money_usd + row.money_usd,
      money_unknown: sum.money_unknown || row.money_unknown,
      tokens: sum.tokens + row.tokens,
      seconds: sum.seconds + row.seconds,
      attempts: sum.attempts + 1,
    };
  }
  return sum;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
