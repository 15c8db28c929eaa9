import type { RunId } from '../contract/ids.ts';
import type { SlotRef, WorkerCall } from '../contract/step.ts';
import { renderBrief } from '../engine/brief.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import type { Slot } from '../engine/prompt.ts';
import type { SlotDefinition } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import { createTranslator } from './translate.ts';

/**
 * The call's slots with their texts, in the role's order. Every slot of the role is present. If it is not given, it is
 * empty.
 */
export async function resolveSlots(
  deps: Deps,
  run: RunId,
  call: WorkerCall,
  definitions: readonly SlotDefinition[],
): Promise<Slot[]> {
  const slots: Slot[] = [];
  for (const definition of definitions) {
    const ref = call.slots[definition.name];
    const texts =
      ref && 'text' in ref ? [ref.text] : await slotTexts(deps, run, ref, definition.each ?? false);
    texts.forEach((text, index) => {
      const name = definition.each ? `${definition.name} ${index + 1}` : definition.name;
      const { max, preamble } = definition;
      slots.push(preamble ? { name, text, max, preamble } : { name, text, max });
    });
  }
  return slots;
}

async function slotTexts(
  deps: Deps,
  run: RunId,
  ref: Exclude<SlotRef, { text: string }> | undefined,
  each: boolean,
): Promise<string[]> {
  if (!ref) return each ? [] : [''];
  if ('artefact' in ref) return [await deps.artefacts.get(ref.artefact)];
  if ('json' in ref) return [canonicalJson(ref.json)];
  if ('brief' in ref)
    return [
      renderBrief(ref.brief, createTranslator(deps.texts, 'en'), { decisionRef: ref.ref ?? undefined }),
    ];
  const entries = await entriesOf(deps, run, ref.records);
  if (each) return entries.map((entry) => (entry as { text: string }).text);
  return [entries.length === 0 ? '' : JSON.stringify(entries, null, 1)];
}

/** Data of all entry records of this name, oldest first. */
export async function entriesOf(deps: Deps, run: RunId, name: string): Promise<unknown[]> {
  const stored = await deps.store.records(run, 'entry', name);
  return stored.map(({ record }) => (record.kind === 'entry' ? record.data : null));
}
