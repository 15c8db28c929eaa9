import * as z from 'zod';
import { refuseTwins } from './criterion-twins.ts';
import { FilePath } from './file-path.ts';

/** Results of the workers of a `deliver` run. Keys and enum values are English in every language. */

const Passage = z.string().trim().min(1).max(4_000);
const Passages = z.array(Passage).min(1).max(60);
const MaybePassages = z.array(Passage).max(60);
/** One line, for a heading or a list. */
const Line = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[^\r\n]*$/);
const CriterionId = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/);
/** A path as a worker names it. It is content of a report, never a target to write to. */
const SaidPath = FilePath;

/** A specialist's view, written before seeing another view. */
export const Proposal = z.strictObject({
  analysis: Passage,
  approach: Passage,
  risks: Passages,
  recommendations: Passages,
});
export type Proposal = z.infer<typeof Proposal>;

const FailureMode = z.strictObject({
  rank: z.int().min(1).max(60),
  text: Passage,
  likelihood: z.enum(['low', 'med', 'high']),
  impact: z.enum(['low', 'med', 'high']),
});

/** The QA specialist also ranks at least five failure modes and names boundaries and the tests for them. */
export const QaProposal = Proposal.extend({
  failure_modes: z.array(FailureMode).min(5).max(60),
  boundaries: Passages,
  tests: Passages,
});

/** One reader's answer to the proposals of the two others. */
export const Critique = z.strictObject({
  agreements: MaybePassages,
  disputes: MaybePassages,
  gaps: MaybePassages,
  recommendation: Passage,
});

const Criterion = z.strictObject({
  id: CriterionId,
  name: Line,
  given: Passage,
  when: Passage,
  outcome: Passage,
});

const PlanRisk = z.strictObject({
  text: Passage,
  source: Line,
  likelihood: z.enum(['low', 'med', 'high']),
  impact: z.enum(['low', 'med', 'high']),
  mitigation: Passage,
});

/** The specification of a change: eight parts, none empty, with unique criterion ids (WF-41). */
export const DeliverSpec = z
  .strictObject({
    goal: Passage,
    background: Passages,
    scope: z.strictObject({ in: Passages, out: Passages }),
    approach: Passages,
    completion_criteria: z.array(Criterion).min(1).max(100),
    edge_cases: Passages,
    testing_strategy: Passages,
    risks: z.array(PlanRisk).min(1).max(60),
  })
  .superRefine((doc, ctx) => refuseTwins('completion_criteria', doc.completion_criteria, ctx));
export type DeliverSpec = z.infer<typeof DeliverSpec>;

/** The lead developer's plan of work. Its paths are a plan, not a permission. */
export const ImplementationPlan = z.strictObject({
  steps: Passages,
  files: z
    .array(z.strictObject({ path: SaidPath, change: Passage }))
    .min(1)
    .max(100),
  integration: Passages,
  risks: MaybePassages,
});

/** A review of the plan. An empty list is a good result. */
export const PlanReview = z.strictObject({
  issues: z
    .array(
      z.strictObject({
        severity: z.enum(['critical', 'major', 'minor']),
        location: Line,
        issue: Passage,
        suggestion: Passage,
      }),
    )
    .max(60),
});

/** Notes about the edits. `files` is only the author's claim. The engine computes the change set (WF-46). */
export const ChangeNotes = z.strictObject({
  summary: Passage,
  changes: Passages,
  files: z.array(SaidPath).max(200),
  advice: z
    .array(z.strictObject({ advice: Passage, decision: z.enum(['applied', 'declined']), reason: Passage }))
    .max(100),
});
export type ChangeNotes = z.infer<typeof ChangeNotes>;

/** A patch that is not applied yet. Low and medium confidence require `limitations` (WF-56). */
export const AutoFixProposal = z
  .strictObject({
    confidence: z.enum(['High', 'Medium', 'Low', 'Unknown']),
    diff: z.string().max(200_000),
    rationale: Passage,
    limitations: z.string().trim().max(4_000).nullable(),
  })
  .superRefine((proposal, ctx) => {
    const needed = proposal.confidence === 'Low' || proposal.confidence === 'Medium';
    if (!needed || proposal.limitations) return;
    const message = `${proposal.confidence} confidence needs its limitations said`;
    ctx.addIssue({ code: 'custom', path: ['limitations'], message });
  });
export type AutoFixProposal = z.infer<typeof AutoFixProposal>;

const Location = z.strictObject({ file: SaidPath, line: z.int().min(1) });
const Judged = z.strictObject({ result: z.enum(['PASS', 'FAIL']), evidence: Passage });

const Layer3 = z.strictObject({
  completion: Judged,
  scope: Judged,
  bug_free: Judged.extend({
    hypotheses: z
      .array(z.strictObject({ text: Passage, finding: z.enum(['confirmed', 'refuted']), evidence: Passage }))
      .min(2)
      .max(10),
  }),
  consistency: Judged,
  minimal_changes: Judged,
});

/**
 * The evaluator's checklist. `verdict` is only its claim. The stored verdict is computed from the rows, and if they
 * disagree, the failure counts (WF-61, WF-65). `layer3` is null if layer 2 failed.
 */
export const Evaluation = z.strictObject({
  criteria: z
    .array(
      z.strictObject({
        id: CriterionId,
        met: z.enum(['YES', 'NO']),
        evidence: z.array(Location).max(10),
        note: z.string().trim().max(2_000),
      }),
    )
    .min(1)
    .max(100),
  files: z
    .array(
      z.strictObject({
        path: SaidPath,
        requirements: z.array(CriterionId).max(100),
        note: z.string().trim().max(2_000),
      }),
    )
    .max(500),
  tests: z.array(z.strictObject({ criterion: CriterionId, test: Line.nullable() })).max(100),
  risks: z
    .array(
      z.strictObject({
        kind: z.enum(['error_path', 'resource', 'security']),
        file: SaidPath,
        line: z.int().min(1).nullable(),
        text: Passage,
      }),
    )
    .max(60),
  layer3: Layer3.nullable(),
  verdict: z.enum(['PASS', 'FAIL', 'FAIL_L2', 'FAIL_L3']),
  summary: Passage,
  fix_instructions: z.array(Passage).max(60),
});
export type Evaluation = z.infer<typeof Evaluation>;
