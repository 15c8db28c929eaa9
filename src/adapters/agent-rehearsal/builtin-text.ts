import type { Note } from '../../contract/spec-work.ts';
import type { AgentCall } from '../../ports/agent.ts';

/** What a built-in part is told about its call. Without a `cwd` nothing on disk is looked at. */
export type Told = Pick<AgentCall, 'role' | 'nth' | 'lang' | 'slots'> & Partial<Pick<AgentCall, 'cwd'>>;

/** The notes slot holds the records of the run as a JSON list; anything else in it is no note. */
export function readNotes(slot: string | undefined): Note[] {
  const list: unknown = parseJson(slot ?? '');
  if (!Array.isArray(list)) return [];
  return list.filter(
    (note): note is Note => typeof note?.id === 'string' && typeof note.question === 'string',
  );
}

/** Requests come as one JSON list of records, or each as a slot of its own: `requests 1`, `revision_request 1`, ... */
export function readRequests(slots: Told['slots']): string[] {
  const texts = Object.entries(slots).flatMap(([name, text]) => {
    if (!/^(requests|revision_request)( \d+)?$/.test(name)) return [];
    const list = parseJson(text);
    return Array.isArray(list) ? list.map((request) => String(request?.text ?? request)) : [text];
  });
  return texts
    .filter((text) => text.trim() !== '')
    .slice(-20)
    .map((text) => cut(text, 2000));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Never splits a character; blank text is said to be blank, since no part of a result may be empty. */
export function cut(text: string | undefined, max: number): string {
  const trimmed = (text ?? '').trim();
  if (trimmed.length <= max) return trimmed === '' ? '-' : trimmed;
  return `${trimmed.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
