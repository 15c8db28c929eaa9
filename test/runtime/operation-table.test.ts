import { describe, expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Api } from '../../src/runtime/api.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { nameless, WORKER } from '../support/caller.ts';
import type { Lab } from '../support/lab.ts';
import { conduct, create, ticketLabs, whole } from '../support/ticket-lab.ts';

const labs = labsOfTest();
const tickets = ticketLabs();
const START = { agent: null, script: null, in_place: false, unattended: false, attended: false };

type Use = (api: Api, run: string) => Promise<unknown>;

/** Operations about the workspace and about a run, as a surface without any check of its own would call them. */
const CHANGES: Readonly<Record<string, Use>> = {
  'start spec': (api) => api.start({ workflow: 'spec', input: { task: 'x', mode: 'quick' }, ...START }),
  'start deliver': (api) => api.start({ workflow: 'deliver', input: { task: 'x', mode: 'quick' }, ...START }),
  'start approve': (api) => api.start({ workflow: 'approve', input: { path: 'a.md' }, ...START }),
  open: (api, run) => api.open({ run, attended: false }),
  stop: (api, run) => api.stop({ run }),
  resume: (api, run) => api.command({ run, command: 'resume' }),
  conduct: (api, run) => api.command({ run, command: 'conduct' }),
  park: (api, run) => api.command({ run, command: 'park' }),
  acknowledge: (api, run) => api.command({ run, command: 'acknowledge', args: { class: 'auth', why: 'x' } }),
  edit: (api, run) => api.command({ run, command: 'edit', args: { title: 'x' } }),
  'create a ticket': (api) => api.createTicket({ fields: { title: 'x' } }),
  'change children': (api, run) => api.manageChildren(run, { add_new: [{ title: 'x' }] }),
};

/** What also an honest program without a person may not do. */
const DECISIONS: Readonly<Record<string, Use>> = {
  'change the agent': (api, run) => api.changeAgent({ run, agent: 'codex' }),
  'set the trust level': (api) => api.setTrust({ level: 'balanced' }),
  'set the project mode': (api) => api.setProjectMode({ mode: 'manual' }),
  'record a decision': (api) => api.recordDecision({ type: 'architecture', title: 'x', domains: ['data'] }),
  'supersede a decision': (api) => api.supersedeDecision({ id: 'D-1' }),
  'link a decision': (api, run) => api.linkDecision({ ticket: run, id: 'D-1' }),
  'remove what Baton left': (api) => api.permitRemoval({}),
  'hand gates over': (api, run) =>
    api.open({ run, attended: false, invocation: { mode: 'unattended', one_shot: false } }),
  cancel: (api, run) => api.command({ run, command: 'cancel' }),
  'remove a label': (api, run) => api.command({ run, command: 'edit', args: { labels_remove: ['ui'] } }),
};

async function atClarify(): Promise<Lab> {
  const lab = await tickets();
  await create(lab, 'Rename photos');
  await conduct(lab, 'B-1');
  return lab;
}

/** Rows of runs and their events, without the record that a worker tried. */
async function changes(lab: Lab) {
  const { rows, events } = await whole(lab);
  const own = (events as { type?: string }[]).filter(({ type }) => type !== 'worker_refused');
  return { rows: rows.map(({ id, status }) => [id, status]), own };
}

describe('the table of operations', () => {
  test.each(Object.entries({ ...CHANGES, ...DECISIONS }))(
    'CON INV-17 refuses a worker that calls it directly: %s',
    async (_, use) => {
      const lab = await atClarify();
      const before = await changes(lab);
      expect(await use(lab.api.as(WORKER), 'B-1')).toMatchObject({ rejection: 'not_a_person' });
      expect(await changes(lab)).toEqual(before);
      expect(await lab.api.trust()).toMatchObject({ raw: null });
      const { events } = await whole(lab);
      expect(events).toContainEqual(expect.objectContaining({ type: 'worker_refused' }));
    },
  );

  test.each(Object.entries(DECISIONS))(
    'CON-116 refuses a caller without proof of a person: %s',
    async (_, use) => {
      const lab = await atClarify();
      const before = await whole(lab);
      const refused = await use(lab.api.as(nameless('script')), 'B-1');
      if (!isRejection(refused)) throw new Error('was not refused');
      expect(refused).toMatchObject({ rejection: 'not_a_person' });
      expect(await whole(lab)).toEqual(before);
    },
  );

  test('a worker of a run that is not a ticket cannot answer, store a draft, stop or resume', async () => {
    const lab = await labs.open();
    const drive = await lab.start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    await drive.advance();
    await drive.close();
    const [shown] = await lab.api.gates(drive.run);
    if (!shown) throw new Error('no gate');
    const { id: gate, digest } = shown.gate;
    const worker = lab.api.as(WORKER);
    const answer = { option: 'go', text: null, fields: {}, digest, typed: null };
    const tried = [
      worker.answer({ gate, answer }),
      worker.storeDraft({ gate, digest, draft: { text: 'x' } }),
      worker.stop({ run: drive.run }),
      worker.open({ run: drive.run, attended: false }),
    ];
    for (const refused of await Promise.all(tried))
      expect(refused).toMatchObject({ rejection: 'not_a_person' });
    expect((await lab.row(drive.run)).status).toBe('waiting');
  });

  test('the text that an acknowledgement judges comes from the brief, not from the caller', async () => {
    const lab = await tickets({ acknowledge: true });
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const args = { class: 'data-migration', why: 'known', content: 'drops a table in a migration' };
    expect(await lab.api.command({ run: 'B-1', command: 'acknowledge', args })).toMatchObject({
      message: { msg: 'conduct.acknowledge_nothing' },
    });
  });
});
