import type { Decomposition, Design, WorkerBrief } from '../../src/contract/conduct-work.ts';

const BRIEF: WorkerBrief = {
  decide: 'Is this the way?',
  recommend: { text: 'Yes.', confidence: 'low' },
  why: [],
  alternatives: [],
  context: [],
  items: [],
  research: [],
  load_bearing_gap: null,
};

function draft(title: string, brief: Partial<WorkerBrief>) {
  return {
    questions: [],
    brief: { ...BRIEF, ...brief },
    grounds: [],
    gap: 'Nothing is known of it.',
    related: [],
    reasoning: '',
    decision: { title, body: title, domains: ['engineering' as const] },
  };
}

/** A design of one track. */
export function designed(brief: Partial<WorkerBrief> = {}): Design {
  return { ...draft('Designed so', brief), tracks: ['technical'] };
}

/** A decomposition into children with these keys; none: the ticket stays whole. */
export function decomposed(keys: readonly string[], brief: Partial<WorkerBrief> = {}): Decomposition {
  const children = keys.map((key) => ({
    key,
    title: `Part ${key}`,
    description: '',
    priority: 'medium' as const,
    after: [],
    criteria: [],
  }));
  return { ...draft('Divided so', brief), children };
}
