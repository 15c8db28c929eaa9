import * as z from 'zod';
import type { Hash } from '../../../contract/ids.ts';
import type { LexicalPath } from '../../../engine/paths.ts';
import type { StoreText } from '../../../ports/workspace.ts';
import { readText, type TextLocation } from '../texts/read-text.ts';
import { guardDocsPath, guardFileName } from './guard.ts';

/** Input of the query `handover`. */
export const HandoverInput = z.object({ docs_path: z.string(), slug: z.string().optional() });

const FILES = {
  qa_notes: 'qa_notes.md',
  critic_findings: 'critic_findings.md',
  conventions: 'conventions.md',
  spec: 'spec.md',
} as const;

export type Handover = Record<keyof typeof FILES, Hash | null> & { unreadable: string[] };

/**
 * Documents that an earlier run left in the folder, each stored as an artefact (WF-35, WF-37). A missing document is
 * not reported. A document that cannot be taken over is named.
 */
export async function findHandover(
  location: TextLocation,
  input: z.infer<typeof HandoverInput>,
  keep: StoreText,
): Promise<Handover> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  const found: Handover = {
    qa_notes: null,
    critic_findings: null,
    conventions: null,
    spec: null,
    unreadable: [],
  };
  for (const [key, name] of Object.entries(FILES) as [keyof typeof FILES, string][]) {
    const read = await readText(location.root, `${docs}/${guardFileName(name)}` as LexicalPath);
    if (read.ok) found[key] = await keep(read.text);
    else if (read.rule !== 'missing') found.unreadable.push(name);
  }
  return found;
}
