import { stringify } from 'yaml';
import { ANALYST_SECTIONS, NONE_DETECTED } from '../../src/contract/spec-analysis.ts';

/** What one attempt of a role plays; see the script schema. */
type Attempt = Readonly<Record<string, unknown>>;

const SPEC = {
  background_decisions: ['The date comes from the picture itself.'],
  scope: ['Renaming files of one folder'],
  out_of_scope: ['Changing the pictures'],
  edge_cases: ['Two photos of one second get a counter.'],
  acceptance_criteria: [
    {
      id: 'AC-1',
      name: 'A photo gets its date',
      given: 'a folder with one photo',
      when: 'the tool runs',
      outcome: 'the file is named by its date',
    },
  ],
  risks: [{ text: 'Wrong camera clock', likelihood: 'med', mitigation: 'Show the new names first.' }],
};

/** A specification whose goal tells it apart and cites findings. */
export function spec(goal: string, cites: readonly string[] = []): Attempt {
  const edge_cases = [...SPEC.edge_cases, ...cites.map((id) => `Answered [${id}]`)];
  return { result: { ...SPEC, goal, edge_cases } };
}

export function analyst(role: keyof typeof ANALYST_SECTIONS, marker: string | null): Attempt {
  const sections = Object.entries<readonly string[]>(ANALYST_SECTIONS[role]).map(([key, fields], n) => {
    if (marker === null || n > 0) return [key, NONE_DETECTED];
    const more = fields.map((field) => [field, field === 'severity' ? 'Major' : `the ${field}`]);
    return [key, [fields.length === 0 ? marker : { text: marker, ...Object.fromEntries(more) }]];
  });
  const empty = marker === null;
  const reason = empty ? { reason: 'greenfield project' } : {};
  return {
    result: { persona: role, has_findings: !empty, ...reason, sections: Object.fromEntries(sections) },
  };
}

export function review(...ids: readonly string[]): Attempt {
  const severity: Record<string, string> = { C: 'Critical', M: 'Major', m: 'Minor' };
  const items = ids.map((id) => ({
    id,
    severity: severity[id.slice(0, 1)],
    title: `title of ${id}`,
    issue: `issue of ${id}`,
    impact: `impact of ${id}`,
    fix: `fix of ${id}`,
  }));
  return { result: { items } };
}

/** The same in all three tries of a call. */
export function thrice(attempt: Attempt): Attempt {
  return { ...attempt, attempts: [attempt, attempt] };
}

/** One question, then whatever the roles are told; analysts find something unless told otherwise. */
export function deepScript(roles: Readonly<Record<string, readonly Attempt[]>>): string {
  const found = Object.keys(ANALYST_SECTIONS).map((role) => {
    const name = role as keyof typeof ANALYST_SECTIONS;
    const play = analyst(name, `MARK-${role}`);
    return [role, [play, play, play]];
  });
  const question = { result: { questions: [{ text: 'Which formats?', why: 'decides the reader' }] } };
  const none = { result: { questions: [] } };
  return stringify({
    script: 1,
    language: 'en',
    roles: { interviewer: [question, none, none], ...Object.fromEntries(found), ...roles },
  });
}
