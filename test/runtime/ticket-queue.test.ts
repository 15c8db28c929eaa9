import { describe, expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Lab } from '../support/lab.ts';
import { call, conduct, create, ready, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();

describe('CON-102 the queue', () => {
  /** B-1 and B-2 wait at clarify, B-3 high too; B-4 is stale and nobody drafted the patch; B-5 is captured. */
  async function prepared(): Promise<Lab> {
    const lab = await open();
    for (const [title, priority] of [
      ['one', 'low'],
      ['two', 'medium'],
      ['three', 'high'],
      ['four', 'medium'],
      ['five', 'high'],
    ] as const)
      await create(lab, title, { priority });
    for (const id of ['B-2', 'B-1', 'B-3']) await conduct(lab, id);
    await lab.api.recordDecision({ type: 'architecture', title: 'One file' });
    await call(lab, 'reference_knowledge', { task_id: 'B-4', decision_id: 'D-1' });
    await lab.api.supersedeDecision({ id: 'D-1' });
    return lab;
  }

  test('has what awaits a person by reason and what is stale apart, each once, and writes nothing', async () => {
    const lab = await prepared();
    const before = await whole(lab);
    const queue = await lab.api.queue();
    expect(queue).toMatchObject({
      groups: [
        {
          reason: 'clarification-draft',
          tickets: [
            { id: 'B-3', workflow_state: 'Idea', priority: 'high' },
            { id: 'B-2', title: 'two' },
            { id: 'B-1', title: 'one', track: null },
          ],
        },
      ],
      stale: [{ id: 'B-4', reason: null, decide: null, workflow_state: 'Captured' }],
    });
    const { brief } = await stateOf(lab, 'B-3');
    expect(queue).toMatchObject({ groups: [{ tickets: [{ decide: brief?.doc.decide }, {}, {}] }] });
    await lab.api.nextTicket();
    expect(await whole(lab)).toEqual(before);
    // With its patch on the table it awaits and is stale, and still stands there once.
    await conduct(lab, 'B-4');
    const later = await lab.api.queue();
    if (isRejection(later)) throw new Error('refused');
    expect(later.stale).toMatchObject([{ id: 'B-4', reason: 'stale-patch-review' }]);
    const ids = [...later.groups.flatMap(({ tickets }) => tickets), ...later.stale].map(({ id }) => id);
    expect(ids.sort()).toEqual(['B-1', 'B-2', 'B-3', 'B-4']);
  });

  test('next takes the top: priority, then the longest waiting, then the number', async () => {
    const lab = await prepared();
    const answered = async () => {
      const found = await lab.api.nextTicket();
      if (!found || isRejection(found)) throw new Error('nothing');
      const { ask, ticket } = found;
      if (ask !== 'triage') ready(await lab.api.command({ run: ticket.id, command: 'park' }));
      return [ticket.id, ask];
    };
    // B-2 has waited longer than B-4 has been stale.
    expect(await answered()).toEqual(['B-3', 'answer']);
    expect(await answered()).toEqual(['B-2', 'answer']);
    expect(await answered()).toEqual(['B-4', 'triage']);
    expect((await stateOf(lab, 'B-4')).phase).toBe('Captured');
  });

  test('next on a captured ticket asks whether it is worth doing and leaves it Captured', async () => {
    const lab = await open();
    await create(lab, 'one', { priority: 'low' });
    await create(lab, 'two');
    await create(lab, 'three');
    const before = await whole(lab);
    expect(await lab.api.nextTicket()).toMatchObject({ ask: 'triage', ticket: { id: 'B-2', reason: null } });
    expect((await stateOf(lab, 'B-2')).phase).toBe('Captured');
    expect(await whole(lab)).toEqual(before);
  });
});

test('the judge that only watches is compared with what people did, per gate', async () => {
  const lab = await open({ shadow_judge: true });
  await create(lab, 'one');
  await create(lab, 'two');
  expect(await lab.api.stats()).toEqual([]);
  for (const id of ['B-1', 'B-2']) await conduct(lab, id);
  const resolve = { iteration: 1, provenance: 'human:cli' };
  await call(lab, 'resolve_brief', { ...resolve, task_id: 'B-1', brief_id: 'B-1.b1', command: 'accept' });
  await call(lab, 'resolve_brief', { ...resolve, task_id: 'B-2', brief_id: 'B-2.b1', command: 'defer' });
  // The rehearsal's judge holds everything to be routine.
  const clarify = { gate: 'clarify', judged: 2, agreed: 1, needless: 0, missed: 1, failed: 0 };
  expect(await lab.api.stats()).toEqual([clarify]);
});
