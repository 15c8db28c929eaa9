import type { Msg } from '../../contract/brief.ts';
import {
  type Candidate,
  type ConventionStage,
  type Conventions,
  type ConventionsFound,
  ScanResult,
} from '../../contract/conventions.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Hash } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { Tier } from '../../contract/step.ts';
import { ask, type Decision, gate, query, work } from '../../engine/decide.ts';
import { brief } from '../../engine/whole-brief.ts';
import type { GateTable, RoleDefinition } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** Input of the step from the run it belongs to. */
export interface ConventionScope {
  readonly task: string;
  readonly lang: string;
  readonly has_git: boolean;
  /** CLAUDE.md is the only file looked for, with or without git (SP-63). */
  readonly claude_md?: true;
  readonly reference: string | null;
  readonly reference_hash: Hash | null;
  readonly tier: Tier;
}

/** The result of an outcome: another stage, a decided value, or a halt. A resume after the halt repeats the query. */
export type ConventionMove =
  | { readonly to: 'stage'; readonly stage: ConventionStage; readonly records: readonly MoveRecord[] }
  | {
      readonly to: 'set';
      readonly conventions: NonNullable<Conventions>;
      readonly records: readonly MoveRecord[];
    }
  | { readonly to: 'halt'; readonly why: Msg; readonly records: readonly MoveRecord[] };

const PICKS = ['first', 'second', 'third'] as const;

const file = (key: (typeof PICKS)[number]) =>
  ({
    text: 'none',
    effect_on_run: 'settle',
    label: say(`conventions.candidates.${key}`),
    description: say('conventions.candidates.file.effect'),
  }) as const;

/** Gates of the step, for the gate table of a workflow. */
export const conventionGates = {
  conventions: {
    class: 'decision',
    title: say('conventions.gate.title'),
    options: {
      scan: {
        text: 'none',
        effect_on_run: 'settle',
        label: say('conventions.gate.scan'),
        description: say('conventions.gate.scan.effect'),
      },
      skip: {
        text: 'none',
        effect_on_run: 'settle',
        label: say('conventions.gate.skip'),
        description: say('conventions.gate.skip.effect'),
      },
    },
  },
  candidates: {
    class: 'decision',
    title: say('conventions.candidates.title'),
    options: {
      first: file('first'),
      second: file('second'),
      third: file('third'),
      skip: {
        text: 'none',
        effect_on_run: 'settle',
        label: say('conventions.candidates.skip'),
        description: say('conventions.candidates.skip.effect'),
      },
    },
  },
} as const satisfies GateTable;

/** The scanner. After three failed attempts, the step continues without conventions (SP-23). */
export const conventionScanner: RoleDefinition<unknown> = {
  prompt: 'common/convention_scanner',
  slots: [
    { name: 'task', max: 20_000 },
    { name: 'lang', max: 20 },
  ],
  result: ScanResult,
  caps: { correct: 1, fresh: 1, infra: 2 },
  profile: { kind: 'read_only' },
  deadline_minutes: 10,
};

/**
 * The step of the present stage and its result. A run never leaves the convention step with unset conventions (SP-24).
 */
export function decideConventions(stage: ConventionStage, scope: ConventionScope): Decision<ConventionMove> {
  switch (stage.at) {
    case 'query': {
      const { reference, reference_hash, claude_md } = scope;
      const input = { reference, reference_hash, ...(claude_md && { claude_md }) };
      return query(
        'conventions',
        input,
        (found) => settleFound(found, scope),
        ({ code, detail }) => ({
          to: 'halt',
          why: say('conventions.query_failed', { code, detail }),
          records: [],
        }),
      );
    }
    case 'gate':
      return gate(conventionGates.conventions, scanGate(), {
        scan: () => ({ to: 'stage', stage: { at: 'scan' }, records: [] }),
        skip: () => skip('conventions.from.skipped'),
      });
    case 'candidates': {
      const [first, second, third] = stage.candidates;
      const pick = (picked: Candidate | undefined) => () =>
        picked ? copy(picked) : skip('conventions.from.skipped');
      return gate(conventionGates.candidates, candidatesGate(stage.candidates), {
        first: pick(first),
        second: pick(second),
        third: pick(third),
        skip: () => skip('conventions.from.skipped'),
      });
    }
    case 'scan': {
      const slots = { task: { text: scope.task }, lang: { text: scope.lang } };
      return work([ask('convention_scanner', ScanResult, slots, scope.tier)], ([scan]) => {
        if (scan.kind === 'ok') return use(scan.artefact, say('conventions.from.scan'));
        const text = say('conventions.scan_failed', { attempts: scan.attempts });
        return { to: 'set', conventions: 'skipped', records: [{ kind: 'notice', level: 'warning', text }] };
      });
    }
  }
}

function scanGate(): GateSpec {
  return {
    name: 'conventions',
    brief: brief({
      decide: say('conventions.gate.decide'),
      recommend: { text: say('conventions.gate.scan'), confidence: 'medium' },
      why: [say('conventions.gate.why')],
    }),
  };
}

function candidatesGate(candidates: readonly Candidate[]): GateSpec {
  const picks = PICKS.slice(0, candidates.length);
  const of = <T>(make: (candidate: Candidate) => T) =>
    Object.fromEntries(picks.map((key, n) => [key, make(candidates[n] as Candidate)]));
  const { path, lines } = candidates[0] as Candidate;
  return {
    name: 'candidates',
    offers: [...picks, 'skip'],
    brief: brief({
      decide: say('conventions.candidates.decide', { n: candidates.length }),
      recommend: { text: path, confidence: 'medium' },
      why: [say('conventions.candidates.why', { path, lines })],
    }),
    label: of((candidate) => candidate.path),
    describe: of((candidate) => say('conventions.candidates.pick.effect', { lines: candidate.lines })),
    artefacts: Object.fromEntries(candidates.map((candidate) => [candidate.path, candidate.artefact])),
  };
}

/** SP-20, SP-22, SP-63: if nothing is found, a run with git asks, and a run without git skips. */
function settleFound(found: ConventionsFound, scope: ConventionScope): ConventionMove {
  switch (found.source) {
    case 'reference':
      return use(found.artefact, say('conventions.from.reference', { path: scope.reference ?? '' }));
    case 'refused':
      return { to: 'halt', why: { msg: found.msg, args: found.args }, records: [] };
    case 'claude_md':
      return use(found.artefact, say('conventions.from.claude_md', { lines: found.lines }));
    case 'none':
      return scope.has_git
        ? { to: 'stage', stage: { at: 'gate' }, records: [] }
        : skip('conventions.from.nothing');
    case 'candidates': {
      const warnings = found.warnings.map((text) => ({ kind: 'notice', level: 'warning', text }) as const);
      const move = settleCandidates(found.candidates);
      return { ...move, records: [...warnings, ...move.records] };
    }
  }
}

function settleCandidates(found: readonly Candidate[]): ConventionMove {
  const [best, ...others] = rankCandidates(found);
  if (!best) return skip('conventions.from.nothing');
  if (others.length === 0) return copy(best);
  return { to: 'stage', stage: { at: 'candidates', candidates: [best, ...others] }, records: [] };
}

/** The three longest candidates. Candidates of equal length stay in their input order, which is that of SP-21. */
export function rankCandidates(found: readonly Candidate[]): Candidate[] {
  return [...found].sort((a, b) => b.lines - a.lines).slice(0, PICKS.length);
}

function copy({ path, lines, artefact }: Candidate): ConventionMove {
  return use(artefact, say('conventions.from.candidate', { path, lines }));
}

function use(artefact: Hash, text: Msg): ConventionMove {
  return {
    to: 'set',
    conventions: { artefact },
    records: [
      { kind: 'artefact', name: 'conventions', hash: artefact },
      { kind: 'notice', level: 'info', text },
    ],
  };
}

function skip(text: 'conventions.from.skipped' | 'conventions.from.nothing'): ConventionMove {
  return {
    to: 'set',
    conventions: 'skipped',
    records: [{ kind: 'notice', level: 'info', text: say(text) }],
  };
}
