import type { BriefDoc, Msg } from '../../contract/brief.ts';
import { canonicalJson } from '../../engine/canonical-json.ts';

/**
 * The first field of a document from outside with catalogue text that the earlier brief did not have, or null. Such
 * text would look like ours. An unknown message could never be shown.
 */
export function notOwnWords({ payload: _, ...shown }: BriefDoc, before: BriefDoc | null): string | null {
  const known = new Set(messagesIn(before).map((msg) => canonicalJson(msg)));
  const isForeign = (value: unknown) => messagesIn(value).some((msg) => !known.has(canonicalJson(msg)));
  return Object.entries(shown).find(([, value]) => isForeign(value))?.[0] ?? null;
}

function messagesIn(value: unknown): Msg[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('msg' in value && typeof value.msg === 'string') return [value as Msg];
  return Object.values(value).flatMap(messagesIn);
}
