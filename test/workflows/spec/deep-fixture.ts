import type { CallOutcome } from '../../../src/contract/outcome.ts';
import type { Analysis, CriticItem, CriticResult, Severity } from '../../../src/contract/spec-analysis.ts';
import { ID_PREFIX, NONE_DETECTED } from '../../../src/contract/spec-analysis.ts';
import type { Workflow } from '../../../src/engine/workflow.ts';
import { ANALYSTS, type AnalystTable } from '../../../src/workflows/spec/analysts.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  badCall,
  okCall,
  type PureRun,
  passPure,
  settlePure,
  startFacts,
  startPure,
  workPure,
} from '../../support/pure-run.ts';
import { FREE, questions, specDoc, stateOf, TASK } from './fixture.ts';

const DEEP = { mode: 'deep', model_config: 'balanced' } as const;

/** How an analyst ends. */
export type How = 'findings' | 'empty' | 'dispatch_failed' | 'parse_failed';
export const HOWS: readonly How[] = ['findings', 'empty', 'dispatch_failed', 'parse_failed'];
export const ROLES = Object.keys(ANALYSTS);
export const ALL_FOUND: readonly How[] = ROLES.map(() => 'findings');

/** The analysts at work after one round; answers by question id. */
export function atAnalysts(
  answers: Record<string, string | null> = { q1: 'JPEG' },
  def: Workflow = specWorkflow,
  input: Record<string, unknown> = {},
): PureRun {
  const begun = startPure(def, { task: TASK, ...DEEP, ...input }, startFacts());
  const located = settlePure(begun, { kind: 'queried', found: FREE });
  const found = { source: 'candidates', candidates: [], warnings: [] };
  const asked = workPure(
    settlePure(located, { kind: 'queried', found }),
    questions(Object.keys(answers).length),
  );
  return passPure(workPure(answerPure(asked, 'answer', { fields: answers }), { questions: [] }));
}

/** A valid result of an analyst; `marker` stands in its first section. */
export function analysis(
  role: string,
  how: 'findings' | 'empty',
  { table = ANALYSTS as AnalystTable, marker = `MARK-${role}` } = {},
): Analysis {
  const sections = Object.entries(table[role]?.sections ?? {}).map(([key, fields], n) => {
    if (how === 'empty' || n > 0) return [key, NONE_DETECTED];
    const more = fields.map((field) => [field, field === 'severity' ? 'Major' : `the ${field}`]);
    return [key, [fields.length === 0 ? marker : { text: marker, ...Object.fromEntries(more) }]];
  });
  return {
    persona: role,
    has_findings: how === 'findings',
    reason: how === 'empty' ? 'greenfield project' : null,
    sections: Object.fromEntries(sections),
  };
}

export function analystEnd(run: PureRun, n: number, how: How, table: AnalystTable = ANALYSTS): CallOutcome {
  const role = Object.keys(table)[n] ?? '';
  if (how === 'dispatch_failed' || how === 'parse_failed') return badCall(how, `BROKEN-${role}`);
  return okCall(run, analysis(role, how, { table }), n);
}

export function analysed(
  run: PureRun,
  hows: readonly How[] = ALL_FOUND,
  table: AnalystTable = ANALYSTS,
): PureRun {
  const calls = hows.map((how, n) => analystEnd(run, n, how, table));
  return settlePure(run, { kind: 'worked', calls });
}

/** Findings by severity: `items(1, 0, 2)` is C1, m1, m2. */
export function items(critical: number, major: number, minor: number): CriticItem[] {
  const of = (severity: Severity, n: number) =>
    Array.from({ length: n }, (_, i): CriticItem => {
      const id = `${ID_PREFIX[severity]}${i + 1}`;
      const about = (what: string) => `FINDING ${what} of ${id}`;
      return {
        id,
        severity,
        title: about('title'),
        issue: about('issue'),
        impact: about('impact'),
        fix: about('fix'),
      };
    });
  return [...of('Critical', critical), ...of('Major', major), ...of('Minor', minor)];
}

export function reviewed(
  run: PureRun,
  found: readonly CriticItem[],
  more: Partial<CriticResult> = {},
): PureRun {
  return workPure(run, { items: found, ...more });
}

export function atSynthesis(hows: readonly How[] = ALL_FOUND): PureRun {
  return analysed(atAnalysts(), hows);
}

/** A valid specification for the run; `cites` are finding ids it answers, `goal` tells drafts apart. */
export function draft(run: PureRun, cites: readonly string[] = [], goal = 'First draft.') {
  const doc = specDoc(stateOf(run).unconfirmed, { goal });
  return { ...doc, edge_cases: [...doc.edge_cases, ...cites.map((id) => `Answered [${id}]`)] };
}

export function synthesised(run: PureRun, cites: readonly string[] = [], goal?: string): PureRun {
  return workPure(run, draft(run, cites, goal));
}

export function atCritic(): PureRun {
  return synthesised(atSynthesis());
}

/** At the critic's first gate with these counts. */
export function atCriticGate(critical = 0, major = 1, minor = 1): PureRun {
  return reviewed(atCritic(), items(critical, major, minor));
}

export function atRevision(): PureRun {
  return answerPure(atCriticGate(), 'auto_revise');
}

export function atSecondCritic(): PureRun {
  return synthesised(atRevision(), ['M1'], 'Revised draft.');
}

export function atSecondGate(): PureRun {
  return reviewed(atSecondCritic(), items(0, 1, 0));
}

export function atHalt(): PureRun {
  return answerPure(atSecondGate(), 'stop');
}

/** A clean first review and the approval gate. */
export function atDeepApproval(minor = 0): PureRun {
  return passPure(reviewed(atCritic(), items(0, 0, minor)));
}

export function gateOf(run: PureRun) {
  if (run.step.kind !== 'gate') throw new Error(`no gate but ${run.step.kind}`);
  return run.step.gate;
}

/** Roles of the present step. */
export function rolesAtWork(run: PureRun): string[] {
  return run.step.kind === 'work' ? run.step.calls.map(({ role }) => role) : [];
}
