import type { BriefDoc } from '../contract/brief.ts';
import type { Effect } from '../contract/change.ts';
import type { Gate, GateDefinition, StoredOption } from '../contract/gate.ts';
import type { EffectId, GateId, Hash, Instant, RunId } from '../contract/ids.ts';
import type { CurrentStep, RunStatus } from '../contract/run.ts';
import type { EffectStep, Step } from '../contract/step.ts';
import { canonicalJson } from './canonical-json.ts';
import { InvariantError } from './errors.ts';
import type { GateTable } from './workflow.ts';

/** The hash function is passed in, because the pure layers have none. */
type HashText = (text: string) => Hash;

type Counters = Readonly<Record<string, number>>;

/** A step in stored form: the fields of the row, the effects recorded as started, the stored gate. */
export interface Entered {
  readonly step: CurrentStep;
  readonly status: RunStatus;
  readonly effects: readonly Effect[];
  readonly gate: Gate | null;
  readonly counters: Counters;
}

export interface EnterContext {
  readonly run: RunId;
  readonly turn: number;
  readonly counters: Counters;
  readonly gates: GateTable;
  readonly hash: HashText;
  readonly now: Instant;
  /** Why workers and checks of the run are not sandboxed. Null if they are. */
  readonly unsandboxed: string | null;
  /** The same gate, asked again with changed inputs. It keeps its id, and its iteration increases. */
  readonly again: Gate | null;
}

export function enterStep(step: Step, ctx: EnterContext): Entered {
  switch (step.kind) {
    case 'gate': {
      const count = (ctx.counters.gates ?? 0) + (ctx.again ? 0 : 1);
      const id: GateId = ctx.again?.id ?? `${ctx.run}.g${count}`;
      const gate = storeGate(step, id, ctx);
      const counters = { ...ctx.counters, gates: count };
      return {
        step: { kind: 'gate', gate: id, name: gate.name },
        status: 'waiting',
        effects: [],
        gate,
        counters,
      };
    }
    case 'wait':
      return settled(step, step.until.kind === 'command' ? 'halted' : 'sleeping', ctx.counters);
    case 'end':
      return settled(step, 'ended', ctx.counters);
    default:
      return enterEffects(step, ctx);
  }
}

function settled(
  step: Extract<CurrentStep, { kind: 'wait' | 'end' }>,
  status: RunStatus,
  counters: Counters,
): Entered {
  return { step, status, effects: [], gate: null, counters };
}

/** The digest of what is asked. It excludes cost, times and language, so that it is the same in every language. */
export function gateDigest(
  gate: Pick<Gate, 'name' | 'brief' | 'options' | 'fields' | 'artefacts' | 'edition'>,
  hash: HashText,
): Hash {
  const { decide, items, banners, payload, criteria = [] } = gate.brief;
  const edition = gate.edition === undefined ? {} : { edition: gate.edition };
  const options = Object.entries(gate.options).map(([key, option]) => [
    key,
    option.effect_on_run,
    option.text,
  ]);
  const fields = gate.fields.map((field) => [field.id, field.text, field.required]);
  return hash(
    canonicalJson({
      name: gate.name,
      decide,
      items,
      banners,
      options,
      fields,
      artefacts: gate.artefacts,
      // Left out if empty, so that gates without promised writes keep their digest.
      ...(payload.length > 0 ? { payload } : {}),
      ...(criteria.length > 0 ? { criteria } : {}),
      ...edition,
    }),
  );
}

function storeGate(step: Extract<Step, { kind: 'gate' }>, id: GateId, ctx: EnterContext): Gate {
  const { gate } = step;
  const definition = ctx.gates[gate.name];
  if (!definition) throw new InvariantError(`no gate '${gate.name}' in the gate table`);
  const keys = gate.offers ?? Object.keys(definition.options);
  const options: Record<string, StoredOption> = {};
  for (const key of keys) {
    const option = definition.options[key];
    if (!option) throw new InvariantError(`gate '${gate.name}' has no option '${key}'`);
    options[key] = {
      ...option,
      label: gate.label?.[key] ?? option.label,
      description: gate.describe?.[key] ?? option.description,
    };
  }
  const shown = {
    name: gate.name,
    brief: withSandboxBanner(gate.brief, definition, ctx.unsandboxed),
    options,
    fields: gate.fields ?? [],
    artefacts: gate.artefacts ?? {},
    ...(gate.edition === undefined ? {} : { edition: gate.edition }),
  };
  return {
    ...shown,
    id,
    run: ctx.run,
    turn: ctx.turn,
    class: definition.class,
    title: definition.title,
    iteration: (ctx.again?.iteration ?? 0) + 1,
    status: 'open',
    digest: gateDigest(shown, ctx.hash),
    typed: gate.typed ?? null,
    opened_at: ctx.now,
    closed_at: null,
  };
}

/** Placed before all other warnings, because it is about everything below it. */
function withSandboxBanner(brief: BriefDoc, { says_sandbox }: GateDefinition, why: string | null): BriefDoc {
  if (!says_sandbox || why === null) return brief;
  return { ...brief, banners: [{ msg: 'engine.sandbox.gate', args: { why } }, ...brief.banners] };
}

function enterEffects(step: EffectStep, ctx: EnterContext): Entered {
  const counters: Record<string, number> = { ...ctx.counters };
  delete counters.forgiven;
  delete counters.tree_accepted;
  const specs: { spec: unknown; role: string | null }[] =
    step.kind === 'work'
      ? step.calls.map((call) => ({ spec: call, role: call.role }))
      : step.kind === 'check'
        ? step.checks.map((check) => ({ spec: check, role: null }))
        : [{ spec: step.kind === 'query' ? step.what : step.op, role: null }];
  const effects = specs.map(({ spec, role }, n): Effect => {
    const id: EffectId = `${ctx.run}/${ctx.turn}/${n}`;
    const nth = role === null ? null : (counters[`role:${role}`] ?? 0) + 1;
    if (role !== null && nth !== null) counters[`role:${role}`] = nth;
    const base = { id, run: ctx.run, turn: ctx.turn, n, kind: step.kind, role, nth, spec };
    return { ...base, attempts: [], result: null, started_at: ctx.now, done_at: null };
  });
  return { step, status: 'working', effects, gate: null, counters };
}
