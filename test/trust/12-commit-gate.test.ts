import { expect, test } from 'vitest';
import type { Msg } from '../../src/contract/brief.ts';
import { noteWorker } from '../../src/runtime/note-worker.ts';
import { changing, GREETING, groundsOfTest, SINGLE, SMALL } from '../scenario/deliver-lab.ts';
import { playTo } from '../scenario/quick-lab.ts';
import { deliverScript } from '../support/deliver-script.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { type TicketState, withTickets } from '../support/ticket-flow.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { built, releaseDrafted, upTo } from '../workflows/conduct/fixture.ts';
import { TO_COMMIT, typeGates } from './typed-gates.ts';

const newWorld = worldsOfTest();
const grounds = groundsOfTest();
const TASK = ['deliver', 'Greet in capitals', '--mode', 'single', '--model-config', 'balanced'];
/** Looks like nothing known: only its variable gives it away. */
const VALUE = 'plain-but-private-value-42';
const HEADER = ['-----BEGIN ', 'PRIVATE KEY-----'].join('');
const LEAKS = [
  { path: 'greeting.txt', content: `HELLO\nkey: ${VALUE}\n` },
  { path: 'keys/id', content: `${HEADER}\nx\n` },
];

test('TRUST-12 a change with a key is not recommended: the gate names file, line and variable first, never the value', async () => {
  const env = { ANTHROPIC_API_KEY: VALUE };
  const script = deliverScript(changing(LEAKS));
  const world = newWorld({ git: true, files: { ...SMALL, 'script.yaml': script }, env });
  const sent = await typeGates(world, [...TASK, '--script', 'script.yaml'], TO_COMMIT, env);
  const gate = (sent.split(/^Commit · /m)[1] ?? '').replace(/\s+/g, ' ');
  expect(gate).not.toContain('Code only (high confidence)');
  expect(gate).toContain('Recommend: No commit (low confidence)');
  const first = 'The value of $ANTHROPIC_API_KEY seems to be in the change: greeting.txt:2.';
  expect(gate.indexOf(first)).toBeGreaterThan(0);
  expect(gate.indexOf(first)).toBeLessThan(gate.indexOf('DECIDE'));
  expect(gate).toContain('A private key seems to be in the change: keys/id:1.');
  expect(sent).not.toContain(VALUE);
  expect((await world.run('gates', '--json')).stdout).not.toContain(VALUE);
  const evidence = await world.run('show', 'de', 'evidence');
  expect(evidence.stdout).toContain(first);
  expect(evidence.stdout).not.toContain(VALUE);
});

const ids = (texts: readonly unknown[]) => texts.map((text) => (text as Msg).msg);

const UNTIL_COMMIT = { conventions: [['skip']], spec: [['proceed']] } as const;

async function atCommit(lab: Lab) {
  const drive = await lab.start('deliver', SINGLE);
  return { run: drive.run, gate: gateOf(await playTo(lab, drive, UNTIL_COMMIT, 'commit')) };
}

async function evidenceOf({ api }: Lab, run: string): Promise<string> {
  const all = await api.artefacts(run);
  return (Array.isArray(all) ? all : []).find(({ name }) => name === 'evidence')?.text ?? '';
}

test.each([
  [
    'leftovers that were ended',
    { leaves_process: `sleep 9${process.pid}.12` },
    'engine.warn.left',
    'deliver.commit.no_commit',
  ],
  [
    'what a worker was denied',
    { denied: ['Bash(git push)'] },
    'engine.warn.denied',
    'deliver.commit.code_only',
  ],
])('TRUST-12 the commit gate repeats %s, and the evidence lists it', async (_, more, id, advice) => {
  const lab = await grounds.open(grounds.repository(), changing(GREETING, more));
  const { run, gate } = await atCommit(lab);
  const { banners, recommend } = gate.brief;
  expect(ids(banners)).toContain(id);
  const t = await lab.api.translator('en');
  expect(await evidenceOf(lab, run)).toContain(t(banners[0] ?? ''));
  expect(recommend).toEqual({ text: { msg: advice }, confidence: 'low' });
});

test('TRUST-12 the commit gate repeats that a worker tried to decide, also where it tried while the gate was open', async () => {
  const lab = await grounds.open(grounds.repository(), changing());
  const { run, gate } = await atCommit(lab);
  const call_id = `${run}/9/0.1`;
  for (let n = 0; n < 12; n++)
    await noteWorker(lab.deps, run, { call_id, command: 'answer', target: `${gate.id}-${n}` });
  const [now] = await lab.deps.store.openGates(run);
  expect(ids(now?.brief.banners ?? [])).toEqual(['engine.warn.refused']);
  expect(now?.brief.banners).toMatchObject([
    { args: { n: 12, names: expect.stringContaining(`answer ${gate.id}-0`) } },
  ]);
  expect(now?.digest).not.toBe(gate.digest);
  expect(now?.brief.recommend).toMatchObject({ confidence: 'low' });
  const { incidents } = (await lab.row(run)).state as { incidents?: { refused?: { names: string[] } } };
  expect(incidents?.refused?.names).toHaveLength(10);
  expect((await lab.api.doctor(true)).problems).toEqual([]);
});

test('TRUST-12 the run of the worker is told too when it tried to decide for another run', async () => {
  const lab = await grounds.open(grounds.repository(), changing());
  const { run } = await atCommit(lab);
  const call_id = `${run}/9/0.1`;
  await noteWorker(lab.deps, 'sp-none', { call_id, command: 'answer', target: 'sp-none.g1' });
  const [now] = await lab.deps.store.openGates(run);
  expect(ids(now?.brief.banners ?? [])).toEqual(['engine.warn.refused']);
});

test('TRUST-12 a ticket’s build has no commit gate: its release gate repeats the warnings and recommends nothing lightly', async () => {
  const left = { leaves_process: `sleep 9${process.pid}.13`, denied: ['Bash(git push)'] };
  const files = { ...SMALL, 'package.json': '{}\n' };
  const edits = [...GREETING, { path: 'package.json', content: '{"private":true}\n' }];
  const roles = changing(edits, left);
  const lab = await grounds.open(grounds.repository(files), roles, { wrap: withTickets([]) });
  const drive = await lab.start('conduct', {});
  await playTo(lab, drive, { plan: [['accept']] });
  const { build } = (await lab.row(drive.run)).state as unknown as TicketState;
  const warnings = (build.report as { warnings?: Msg[] } | null)?.warnings;
  const run = releaseDrafted(built(upTo('Planned'), warnings ? { warnings } : {}));
  if (run.step.kind !== 'gate') throw new Error('no release gate');
  const { banners, recommend } = run.step.gate.brief;
  expect(ids(banners)).toEqual(['engine.warn.left', 'engine.warn.denied', 'engine.warn.alters_checks']);
  expect(recommend).toEqual({ text: { msg: 'engine.warn.look_first' }, confidence: 'low' });
});

test('TRUST-12 a ticket’s build asks a person before it commits what looks like a key', async () => {
  const lab = await grounds.open(grounds.repository(), changing(LEAKS), { wrap: withTickets([]) });
  const drive = await lab.start('conduct', {});
  const rest = await playTo(lab, drive, { plan: [['accept']] }, 'commit');
  expect(rest.gate?.name).toBe('commit');
  expect(ids(rest.gate?.brief.banners ?? [])).toEqual(['engine.warn.secret']);
});
