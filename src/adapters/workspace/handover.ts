import * as z from 'zod';
import type { Hash } from '../../contract/ids.ts';
import type { LexicalPath } from '../../engine/paths.ts';
import type { Keep } from '../../ports/workspace.ts';
import { guardDocsPath, guardFileName } from './guard.ts';
import { readText } from './read-text.ts';
import type { RealPath } from './real-path.ts';

/** Input of the look `handover`. */
export const HandoverInput = z.object({ docs_path: z.string(), slug: z.string().optional() });

const FILES = {
  qa_notes: 'qa_notes.md',
  critic_findings: 'critic_findings.md',
  conventions: 'conventions.md',
  spec: 'spec.md',
} as const;

export type Handover = Record<keyof typeof FILES, Hash | null> & { unreadable: string[] };

/**
 * Documents an earlier run left in the folder, each kept as an artefact (WF-35, WF-37). A missing one is silent; one
 * that is there and cannot be taken over is named.
 */
export async function findHandover(
  place: { readonly root: RealPath; readonly namespace: string },
  input: z.infer<typeof HandoverInput>,
  keep: Keep,
): Promise<Handover> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  const found: Handover = {
    qa_notes: null,
    critic_findings: null,
    conventions: null,
    spec: null,
    unreadable: [],
  };
  for (const [key, name] of Object.entries(FILES) as [keyof typeof FILES, string][]) {
    const read = await readText(place.root, `${docs}/${guardFileName(name)}` as LexicalPath);
    if (read.ok) found[key] = await keep(read.text);
    else if (read.rule !== 'missing') found.unreadable.push(name);
  }
  return found;
}
