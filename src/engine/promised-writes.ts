import type { BriefDoc, Msg } from '../contract/brief.ts';
import { PromisedWrite } from '../contract/promised-write.ts';
import type { EngineMessageId } from './messages.ts';

/**
 * The writes of an accept, one text per write in the order of the payload (CON-65). Built from the payload itself, so
 * the brief cannot list other writes. An unreadable write is shown as stored. An accept never performs it.
 */
export function writeTexts({ payload }: Pick<BriefDoc, 'payload'>): Msg[] {
  return payload.map((raw) => {
    const { data } = PromisedWrite.safeParse(raw);
    return data ? textOf(data) : say('unreadable', { json: JSON.stringify(raw) ?? '' });
  });
}

type WriteId = Extract<EngineMessageId, `engine.brief.write.${string}`>;
type Kind = WriteId extends `engine.brief.write.${infer K}` ? K : never;

function say(kind: Kind, args: NonNullable<Msg['args']>): Msg {
  return { msg: `engine.brief.write.${kind}`, args };
}

function textOf(write: PromisedWrite): Msg {
  switch (write.kind) {
    case 'acceptance_criterion':
    case 'checklist_item':
      return say(write.kind, { text: write.text });
    case 'child_ticket': {
      const { key, title, priority, description } = write;
      const after = write.after.join(', ');
      const waits = after === '' ? 'no' : 'yes';
      const more = description.trim() === '' ? '' : `\n${description.trim()}`;
      return say('child_ticket', { key, title, priority, waits, after, more });
    }
    case 'ac_transfer': {
      const { criterion, child, text = '' } = write;
      return say('ac_transfer', { criterion, child, text });
    }
    case 'label_add':
      return say('label_add', { label: write.label });
  }
}
