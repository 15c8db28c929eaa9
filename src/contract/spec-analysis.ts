import * as z from 'zod';

/** Content of a section without findings. Written exactly like this in every language (SP-60). */
export const NONE_DETECTED = 'none detected';

/** Why an analyst found nothing (SP-37). */
const REASONS = ['greenfield project', 'input ambiguous'] as const;

/** Severity of a finding. The words stay English in every language (SP-61). */
export const SEVERITIES = ['Critical', 'Major', 'Minor'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Sections of one analyst: key, and the extra fields of each finding. Without fields a finding is plain text. */
export type SectionTable = Readonly<Record<string, readonly string[]>>;

/** The analysts and their sections (SP-58). To add an analyst, add a row. No code depends on their number. */
export const ANALYST_SECTIONS = {
  requirements_analyst: { missing: [], contradictions: [], assumptions: [], business_impact: [] },
  user_scenario_analyst: {
    scenarios: ['actor'],
    edge_cases: [],
    error_scenarios: ['recovery'],
    ux: [],
  },
  risk_auditor: {
    security: ['severity'],
    concurrency: ['severity'],
    data_integrity: ['severity'],
    migration: ['severity'],
    unconfirmed_risks: ['severity'],
  },
  tech_constraint_analyst: {
    codebase_conflicts: [],
    convention_violations: ['rule'],
    schema_constraints: [],
    operations: [],
    unconfirmed_constraints: [],
  },
} as const satisfies Readonly<Record<string, SectionTable>>;
export type AnalystRole = keyof typeof ANALYST_SECTIONS;
export type SectionKey = { [Role in AnalystRole]: keyof (typeof ANALYST_SECTIONS)[Role] }[AnalystRole];

type AnalysisFinding = string | { readonly text: string; readonly [field: string]: string };

/** Result of an analyst. It has every section, with findings or the none-marker. */
export interface Analysis {
  readonly persona: string;
  readonly has_findings: boolean;
  readonly reason: (typeof REASONS)[number] | null;
  readonly sections: Readonly<Record<string, typeof NONE_DETECTED | readonly AnalysisFinding[]>>;
}

const Passage = z.string().trim().min(1).max(2_000);

/**
 * Schema of one analyst's result: exactly its sections. Without findings, every section has the none-marker and
 * `reason` is set.
 */
export function analysisSchema(role: string, sections: SectionTable): z.ZodType<Analysis> {
  const shape = Object.fromEntries(
    Object.entries(sections).map(([key, fields]) => [
      key,
      z.union([z.literal(NONE_DETECTED), z.array(findingSchema(fields)).min(1).max(40)], {
        error: `expected findings or "${NONE_DETECTED}"`,
      }),
    ]),
  );
  return z
    .strictObject({
      persona: z.literal(role),
      has_findings: z.boolean(),
      reason: z.enum(REASONS).nullable().default(null),
      sections: z.strictObject(shape),
    })
    .superRefine((result, ctx) => {
      const refuse = (path: string, message: string) =>
        ctx.addIssue({ code: 'custom', path: [path], message });
      const found = Object.values(result.sections).some((section) => section !== NONE_DETECTED);
      if (result.has_findings && !found) refuse('has_findings', 'is true, but no section has a finding');
      if (!result.has_findings && found) refuse('has_findings', 'is false, but a section has findings');
      if (!result.has_findings && result.reason === null) refuse('reason', 'nothing found: say why');
    }) as unknown as z.ZodType<Analysis>;
}

function findingSchema(fields: readonly string[]): z.ZodType {
  if (fields.length === 0) return Passage;
  const more = fields.map((field) => [field, field === 'severity' ? z.enum(SEVERITIES) : Passage]);
  return z.strictObject({ text: Passage, ...Object.fromEntries(more) });
}

/** First letter of a finding's id by severity: C1, M1, m1 (SP-43). */
export const ID_PREFIX: Readonly<Record<Severity, string>> = { Critical: 'C', Major: 'M', Minor: 'm' };

const CriticItem = z.strictObject({
  id: z.string().regex(/^[CMm][1-9]\d{0,2}$/),
  severity: z.enum(SEVERITIES),
  title: z.string().trim().min(1).max(200),
  issue: Passage,
  impact: Passage,
  fix: Passage,
});
export type CriticItem = z.infer<typeof CriticItem>;

/**
 * Result of the critic. Ids are unique, count up from 1 per severity and start with its letter (SP-44). `counts` is
 * allowed but never read: counts are computed from the items.
 */
export const CriticResult = z
  .strictObject({ items: z.array(CriticItem).max(100), counts: z.unknown().optional() })
  .superRefine(({ items }, ctx) => {
    const next: Record<Severity, number> = { Critical: 1, Major: 1, Minor: 1 };
    for (const [index, { id, severity }] of items.entries()) {
      const expected = `${ID_PREFIX[severity]}${next[severity]++}`;
      const message = `the id of this ${severity} item must be ${expected}`;
      if (id !== expected) ctx.addIssue({ code: 'custom', path: ['items', index, 'id'], message });
    }
  });
export type CriticResult = z.infer<typeof CriticResult>;
