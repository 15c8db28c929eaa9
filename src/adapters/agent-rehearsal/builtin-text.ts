import type { Note } from '../../contract/spec-work.ts';
import { shortText } from '../../engine/cut-text.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { AgentCall } from '../../ports/agent.ts';

/** The input of a built-in part. Without a `cwd` it does not read the disk. */
export type BuiltinCall = Pick<AgentCall, 'role' | 'nth' | 'lang' | 'slots'> &
  Partial<Pick<AgentCall, 'cwd'>>;

/** Reads the notes slot, which contains the records of the run as a JSON list. Anything else in it is ignored. */
export function readNotes(slot: string | undefined): Note[] {
  const list: unknown = parseJson(slot ?? '');
  if (!Array.isArray(list)) return [];
  return list.filter(
    (note): note is Note => typeof note?.id === 'string' && typeof note.question === 'string',
  );
}

/** Reads the requests: one JSON list of records, or one slot for each (`requests 1`, `revision_request 1`, ...). */
export function readRequests(slots: BuiltinCall['slots']): string[] {
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

/** Shortens a text without splitting a character. Blank text becomes `-`, because no part of a result may be empty. */
export function cut(text: string | undefined, max: number): string {
  return shortText((text ?? '').trim() || '-', max);
}
