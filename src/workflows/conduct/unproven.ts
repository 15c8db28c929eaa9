import type { BriefDoc } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { say } from './messages.ts';
import { type Next, notice } from './moves.ts';

type Unproven = ConductState['unproven'];

const BANNER = 'conduct.banner.unproven';

/**
 * Adds the banner that names who changed the ticket without proof of a person. Removes it if there is no such change.
 */
export function withUnproven(doc: BriefDoc, run: string, unproven: Unproven | undefined): BriefDoc {
  const others = doc.banners.filter((text) => typeof text === 'string' || text.msg !== BANNER);
  if (!unproven) return others.length === doc.banners.length ? doc : { ...doc, banners: others };
  const { what, by, at } = unproven;
  return { ...doc, banners: [...others, say(BANNER, { run, what, by, at })] };
}

/**
 * Sets or clears the unproven flag on the result of a command or an answer. An open brief shows the flag. If only the
 * flag changes the brief, it gets a new iteration, so that a person cannot accept an unseen flag (CON-116).
 */
export function flagUnproven(before: ConductState, move: Next, unproven: Unproven): Next {
  const { brief, run } = move.state;
  const flagged = { ...move.state, unproven };
  const doc = brief && withUnproven(brief.doc, run, unproven);
  const { by = '' } = unproven ?? {};
  const told =
    unproven && !before.unproven ? [notice(say('conduct.notice.unproven', { run, by }), 'warning')] : [];
  const records = [...move.records, ...told];
  if (!brief || !doc || doc === brief.doc) return { ...move, state: flagged, records };
  const shown = brief.id === before.brief?.id && brief.iteration === before.brief.iteration;
  const next = { ...brief, doc, iteration: brief.iteration + (shown ? 1 : 0) };
  return { ...move, state: { ...flagged, brief: next }, records };
}
