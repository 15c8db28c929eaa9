import * as z from 'zod';
import { BUILT, BuildReport } from '../../src/contract/build-report.ts';
import type { Move, MoveRecord } from '../../src/contract/move.ts';
import type { Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import { reject } from '../../src/engine/rejection.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { defineWorkflow } from '../../src/engine/workflow.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { cliTexts } from '../../src/texts.ts';
import { acceptedPlan } from '../../src/workflows/conduct/accepted-plan.ts';
import { textsWith } from './texts.ts';

const State = z.strictObject({
  phase: z.enum(['Designed', 'Planned', 'Built', 'Parked']),
  user_lang: z.enum(['en', 'ko']),
  run: z.string(),
  slug: z.string(),
  docs_path: z.string(),
  criteria: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  plan: z.strictObject({
    text: z.string(),
    accepted: z.strictObject({ by: z.string(), at: z.string(), decision: z.string().nullable() }).nullable(),
  }),
  build: z.strictObject({
    mode: z.string().nullable(),
    ended: z.string().nullable(),
    report: BuildReport.nullable(),
    /** What its builds sent, in the order it came in. */
    heard: z.array(z.string()),
  }),
  released: z.boolean(),
});
export type TicketState = z.infer<typeof State>;

const TicketInput = z.strictObject({
  slug: z.string().default('greet-in-capitals'),
  lang: z.enum(['en', 'ko']).default('en'),
  criteria: z.array(z.string()).default(['AC-1']),
  mode: z.string().nullable().default(null),
});

const say = (msg: string) => ({ msg: `ticket.${msg}` });

function next({ phase, build, released }: TicketState): Step {
  if (phase === 'Designed') return gate('plan');
  if (phase === 'Parked') return { kind: 'end', outcome: { result: 'parked' } };
  if (phase === 'Built') {
    const op = { op: 'deploy', input: { line: build.report?.commit } };
    return released
      ? { kind: 'end', outcome: { result: 'released' } }
      : { kind: 'deploy', during: 'Built', op };
  }
  return build.ended === null
    ? { kind: 'wait', until: { kind: 'children', why: say('building') } }
    : gate('again');
}

function gate(name: string): Step {
  return { kind: 'gate', gate: { name, brief: brief({ decide: say('decide') }) } };
}

function settle(state: TicketState, step: Step, outcome: Outcome): Move<TicketState> {
  if (step.kind === 'deploy') return { state: { ...state, released: true }, records: [] };
  if (outcome.kind !== 'answered') throw new Error(`unexpected ${outcome.kind}`);
  const { option, by, at } = outcome.answer;
  if (option === 'park') return { state: { ...state, phase: 'Parked' }, records: [] };
  const accepted = state.plan.accepted ?? { by: 'person' in by ? by.person : by.agent, at, decision: null };
  const build = { ...state.build, ended: null, report: null };
  return {
    state: { ...state, phase: 'Planned', plan: { ...state.plan, accepted }, build },
    records: [spawn(state)],
  };
}

/** The build begins in the very move that accepts the plan. */
function spawn({ run, build }: TicketState): MoveRecord {
  const input = { from_spec: run, ticket: run, mode: build.mode };
  return { kind: 'spawn', key: `build${build.heard.length}`, workflow: 'deliver', input };
}

function receive(state: TicketState, signal: Signal) {
  const { build } = state;
  if (signal.type === 'message' && signal.name === BUILT) {
    const report = BuildReport.parse(signal.data);
    const heard = [...build.heard, `built ${report.result}`];
    return { state: { ...state, build: { ...build, report, heard } }, records: [] };
  }
  if (signal.type === 'run_ended') {
    const heard = [...build.heard, `ended ${signal.result}`];
    const phase = build.report?.commit ? ('Built' as const) : state.phase;
    return { state: { ...state, phase, build: { ...build, ended: signal.result, heard } }, records: [] };
  }
  return reject('wrong_moment');
}

const option = (key: string) => ({
  text: 'none' as const,
  effect_on_run: 'settle' as const,
  label: say(key),
  description: say(key),
});

const ticketTexts = Object.fromEntries(
  ['title', 'decide', 'building', 'accept', 'again', 'park'].map((key) => [`ticket.${key}`, key]),
);
const phase = (order: number, to: readonly string[]) => ({
  label: { msg: 'conduct.state.Planned' },
  order,
  to,
});

/** As much of a ticket as a build needs: a plan a person accepts, a build, and a release that cannot be looked up. */
const ticketFlow = defineWorkflow<TicketState>({
  name: 'conduct',
  prefix: 'B',
  version: 1,
  plan: (state) => acceptedPlan(state as never),
  state: State,
  input: TicketInput,
  migrations: [],
  phases: {
    Designed: phase(1, ['Planned', 'Parked']),
    Planned: phase(2, ['Built', 'Parked']),
    Built: phase(3, []),
    Parked: phase(4, []),
  },
  roles: {},
  gates: {
    plan: {
      class: 'decision',
      title: say('title'),
      options: { accept: option('accept'), park: option('park') },
    },
    again: {
      class: 'decision',
      title: say('title'),
      options: { again: option('again'), park: option('park') },
    },
  },
  documents: {
    plan: {
      file: 'plan.md',
      render: (source) => {
        const { plan, criteria } = source as TicketState;
        return `# Plan\n\n${plan.text}\n${criteria.map(({ id, text }) => `- ${id}: ${text}\n`).join('')}`;
      },
    },
  },
  start: (raw, { run }) => {
    const { slug, lang, criteria, mode } = raw as z.infer<typeof TicketInput>;
    const state: TicketState = {
      phase: 'Designed',
      user_lang: lang,
      run,
      slug,
      docs_path: `docs/baton/${slug}/`,
      criteria: criteria.map((id) => ({ id, text: 'the greeting is in capitals' })),
      plan: { text: 'Change greeting.txt.', accepted: null },
      build: { mode, ended: null, report: null, heard: [] },
      released: false,
    };
    return { state, records: [] };
  },
  next,
  settle,
  receive,
  title: ({ slug }) => slug,
  status: () => [],
});

/** A composition that knows tickets, numbers their runs, and releases by writing into `released`. */
export function withTickets(released: string[] = []): (deps: Deps) => Deps {
  return (deps) => ({
    ...deps,
    texts: textsWith(ticketTexts),
    surfaceTexts: textsWith(ticketTexts, cliTexts),
    workflow: async (name) => (name === 'conduct' ? ticketFlow : deps.workflow(name)),
    ids: { short: (n) => (n < 6 ? '12345'.slice(0, n) : deps.ids.short(n)) },
    outside: {
      deploy: {
        perform: async ({ input }) => {
          released.push(String(input.line));
          return {};
        },
      },
    },
  });
}
