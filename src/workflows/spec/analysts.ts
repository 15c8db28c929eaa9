import {
  ANALYST_SECTIONS,
  type AnalystRole,
  NONE_DETECTED,
  type SectionTable,
} from '../../contract/spec-analysis.ts';

/** One analyst: what it looks for, and each of its sections with the question it answers. */
export interface AnalystDefinition {
  readonly view: string;
  readonly sections: SectionTable;
  readonly asks: Readonly<Record<string, string>>;
}

/**
 * The analysts of a pass, in the order they are dispatched and passed to the synthesis. Their number is not limited.
 */
export type AnalystTable = Readonly<Record<string, AnalystDefinition>>;

/** The analysts that ship. To add one, add a row here and a row in the section table of the contract. */
export const ANALYSTS: Readonly<Record<AnalystRole, AnalystDefinition>> = {
  requirements_analyst: {
    view: 'You are the requirements analyst: you ask whether what was said is enough, consistent and worth building.',
    sections: ANALYST_SECTIONS.requirements_analyst,
    asks: {
      missing: 'requirements nobody stated but without which the result could not be used or accepted',
      contradictions:
        'statements of the task, the answers or the rules that cannot all hold; name both sides',
      assumptions: 'what the task takes for granted without saying so, and what happens if it is wrong',
      business_impact: 'who gains or loses what, and what it costs if this is built wrongly or late',
    },
  },
  user_scenario_analyst: {
    view: 'You are the user scenario analyst: you walk through the work as each person or program that takes part.',
    sections: ANALYST_SECTIONS.user_scenario_analyst,
    asks: {
      scenarios: 'the main ways it is used, one per finding, with the actor; from trigger to visible result',
      edge_cases:
        'unusual but legal situations: nothing, very much, repeated, at once, interrupted, very old or new',
      error_scenarios: 'what can fail while it is used, and in "recovery" how the person gets out of it',
      ux: 'what people would misunderstand, miss, fear or find tedious',
    },
  },
  risk_auditor: {
    view: 'You are the risk auditor: you look for what can do harm while it runs. Judge behaviour at run time.',
    sections: ANALYST_SECTIONS.risk_auditor,
    asks: {
      security: 'who could misuse it, which input or secret is exposed, what must be checked or refused',
      concurrency: 'what happens when two actors, processes or repeats meet; order, locks, double effects',
      data_integrity: 'how data could be lost, half written, duplicated or silently changed',
      migration: 'what goes wrong while existing data, users or installations move to the new behaviour',
      unconfirmed_risks: 'risks that exist only because an answer is unconfirmed; name the question id',
    },
  },
  tech_constraint_analyst: {
    view: 'You are the technical constraint analyst: you read the project as it is and say what it allows. Judge the static side.',
    sections: ANALYST_SECTIONS.tech_constraint_analyst,
    asks: {
      codebase_conflicts: 'existing code, interfaces or decisions this would collide with; name files',
      convention_violations: 'parts of the wish that break a written rule; quote the rule in "rule"',
      schema_constraints: 'existing formats, schemas, keys and limits that must be kept or extended',
      operations: 'build, deployment, platforms, dependencies, amounts, monitoring, and what they forbid',
      unconfirmed_constraints: 'limits that depend on an unconfirmed answer; name the question id',
    },
  },
};

/** Fills the prompt that all analysts share from a row of the table. */
export function analystWords(role: string, { view, sections, asks }: AnalystDefinition) {
  const list = Object.entries(sections).map(([key, fields]) => {
    const names = fields.map((field) => `"${field}"`).join(' and ');
    const each = fields.length === 0 ? 'Each finding is one text' : `Each finding has "text" and ${names}`;
    return `- ${key}: ${asks[key] ?? key}. ${each}.`;
  });
  return { role, view, sections: list.join('\n'), none: NONE_DETECTED };
}

export function hasSeverity({ sections }: AnalystDefinition): boolean {
  return Object.values(sections).flat().includes('severity');
}
