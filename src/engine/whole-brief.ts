import type { BriefDoc } from '../contract/brief.ts';

/** A complete brief from the given parts. The others are empty. */
export function brief(parts: Partial<BriefDoc> & Pick<BriefDoc, 'decide'>): BriefDoc {
  return {
    recommend: null,
    why: [],
    alternatives: [],
    context: [],
    items: [],
    research: [],
    load_bearing_gap: null,
    tail: null,
    payload: [],
    banners: [],
    ...parts,
  };
}
