import { expect, test } from 'vitest';
import type { DeliverState } from '../../src/contract/deliver.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { deliverSpec } from '../support/deliver-script.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { gateOf, type Lab, TESTER } from '../support/lab.ts';
import { type TicketState, withTickets } from '../support/ticket-flow.ts';
import { changedIn, changing, deliverState, groundsOfTest, personal } from './deliver-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { openGate, playTo, reopen } from './quick-lab.ts';

const grounds = groundsOfTest();
const ACCEPT = { plan: [['accept']] } as const;
const BRANCH = 'baton/B-123-greet-in-capitals';

async function ticketState(lab: Lab, run: string): Promise<TicketState> {
  return (await lab.row(run)).state as unknown as TicketState;
}

async function buildOf({ deps }: Lab, ticket: string): Promise<string> {
  const [build] = await deps.store.list({ parent: ticket });
  if (!build) throw new Error(`${ticket} has no build`);
  return build.id;
}

test('a build starts from the accepted plan of its ticket, in the very move that accepts it', async () => {
  const lab = await grounds.open(grounds.repository(), {}, { wrap: withTickets() });
  const drive = await lab.start('conduct', { lang: 'ko', criteria: ['AC-1', 'AC-7'] });
  await playTo(lab, drive, {}, 'plan');
  await lab.answer(await openGate(lab, drive.run), 'accept');
  await drive.close();
  const { from_spec, ...state }: DeliverState = await deliverState(lab, await buildOf(lab, drive.run));
  expect(from_spec).toMatchObject({
    run: drive.run,
    slug: 'greet-in-capitals',
    docs_path: 'docs/baton/greet-in-capitals/',
    path: 'docs/baton/greet-in-capitals/plan.md',
    criteria: ['AC-1', 'AC-7'],
    accepted: { by: TESTER.person, decision: null },
    lang: 'ko',
    base: null,
  });
  expect(await lab.deps.artefacts.get(from_spec?.spec as never)).toBe(
    '# Plan\n\nChange greeting.txt.\n- AC-1: the greeting is in capitals\n- AC-7: the greeting is in capitals\n',
  );
  expect(state).toMatchObject({ ticket: drive.run, mode: 'single', user_lang: 'ko' });
});

test('a ticket whose plan nobody accepted is not built, nor is one that is not there', async () => {
  const lab = await grounds.open(grounds.repository(), {}, { wrap: withTickets() });
  const drive = await lab.start('conduct', {});
  await playTo(lab, drive, {}, 'plan');
  const wanted = (ticket: string) => lab.refused('deliver', { ticket, from_spec: ticket });
  expect(await wanted(drive.run)).toMatchObject({
    rejection: 'spec_refused',
    message: { msg: 'engine.rejection.spec_not_approved', args: { run: drive.run } },
  });
  expect((await wanted('B-99')).message.msg).toBe('engine.rejection.no_such_spec');
  expect(await lab.api.list(true)).toHaveLength(1);
});

test('a ticket is built without another question: a commit on its branch, told to the ticket, then released', async () => {
  const released: string[] = [];
  const ground = grounds.repository();
  const lab = await grounds.open(ground, changing(), { wrap: withTickets(released) });
  const before = personal(ground);
  const drive = await lab.start('conduct', {});
  const rest = await playTo(lab, drive, ACCEPT);
  expect(rest).toMatchObject({ run: drive.run, parent: null, outcome: 'released' });
  const { build } = await ticketState(lab, drive.run);
  const head = ground.git('rev-parse', BRANCH);
  expect(build.heard).toEqual(['built passed', 'ended passed']);
  expect(build.report).toMatchObject({
    result: 'passed',
    branch: BRANCH,
    commit: head,
    base: ground.git('rev-parse', 'main'),
    paths: ['greeting.txt'],
    criteria: [{ id: 'AC-1', met: true }],
    altered: false,
    summary: 'passed: 1 files changed, 1 of 1 criteria met; checks: test pass',
  });
  expect(await lab.deps.artefacts.has(build.report?.evidence as never)).toBe(true);
  expect(released).toEqual([head]);
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(ground.git('log', '-1', '--format=%s', BRANCH)).toMatch(/^deliver: .*B-123/);
  expect(personal(ground)).toEqual(before);
  const gates = await Promise.all(
    [drive.run, await buildOf(lab, drive.run)].map((run) => lab.deps.store.answers(run)),
  );
  expect(gates.map((answers) => answers.length)).toEqual([1, 0]);
}, 60_000);

test('trouble of the build is where the ticket rests, and its answer carries both on', async () => {
  const crash = { crash: true } as const;
  const [entry] = changing().generator_single ?? [];
  const troubled = { ...crash, attempts: [crash, crash, entry] };
  const roles = { ...changing(), generator_single: [troubled] };
  const lab = await grounds.open(grounds.repository(), roles, { wrap: withTickets() });
  const drive = await lab.start('conduct', {});
  const rest = await playTo(lab, drive, ACCEPT, 'trouble_infrastructure');
  const build = await buildOf(lab, drive.run);
  expect(rest).toMatchObject({ run: build, parent: drive.run, gate: { run: build, class: 'trouble' } });
  await lab.answer(gateOf(rest), 'retry');
  expect(await drive.advance()).toMatchObject({ run: drive.run, outcome: 'released' });
}, 60_000);

test('a build that was given up leaves the ticket to ask, and another one may begin', async () => {
  const hang = { hang: true } as const;
  const lab = await grounds.open(
    grounds.repository(),
    { ...changing(), planner_single: [hang] },
    {
      wrap: withTickets(),
    },
  );
  const drive = await lab.start('conduct', {});
  await playTo(lab, drive, {}, 'plan');
  await lab.answer(await openGate(lab, drive.run), 'accept');
  const build = await buildOf(lab, drive.run);
  await lab.api.command({ run: build, command: 'abandon' });
  const rest = await drive.advance();
  expect(rest).toMatchObject({ run: drive.run, gate: { name: 'again' } });
  expect((await ticketState(lab, drive.run)).build).toMatchObject({
    heard: ['built abandoned', 'ended abandoned'],
    report: { commit: null, branch: null },
  });
  await lab.answer(gateOf(rest), 'again');
  const builds = await lab.deps.store.list({ parent: drive.run, ended: false });
  expect(builds.map(({ id }) => id)).not.toContain(build);
  expect(builds).toHaveLength(1);
}, 60_000);

test.each([
  [1, 'before the ticket heard anything'],
  [2, 'after it heard what was built'],
  [3, 'after it heard of the end'],
])(
  'killed at commit %i after the build’s last, %s: the ticket hears both once, in order',
  async (n) => {
    const released: string[] = [];
    const ground = grounds.repository();
    const lab = await grounds.open(ground, changing(), { wrap: withTickets(released) });
    let over = false;
    const killer = killAt(n, (label) => over && label === 'after commit');
    const dying = await lab.other((deps: Deps) =>
      killer.wrap(
        withTickets(released)({
          ...deps,
          store: {
            ...deps.store,
            commit: async (changes) => {
              const result = await deps.store.commit(changes);
              over ||= changes.some(({ run }) => run.workflow === 'deliver' && run.status === 'ended');
              return result;
            },
          },
        }),
      ),
    );
    const drive = await dying.start('conduct', {});
    expect(await diesOf(playTo(dying, drive, ACCEPT))).toBe(true);
    dying.deps.store.close();
    const { heard } = (await ticketState(lab, drive.run)).build;
    expect(heard).toHaveLength(n - 1);
    const again = await reopen(lab, drive.run);
    expect(await again.advance()).toMatchObject({ run: drive.run, outcome: 'released' });
    expect((await ticketState(lab, drive.run)).build.heard).toEqual(['built passed', 'ended passed']);
    expect(released).toEqual([ground.git('rev-parse', BRANCH)]);
  },
  60_000,
);

test('on the command line the build speaks for itself, and the answer to its gate carries the ticket on', async () => {
  const crash = { crash: true } as const;
  const planner = { ...crash, attempts: [crash, crash, { result: deliverSpec() }] };
  const lab = await grounds.open(
    grounds.repository(),
    { ...changing(), planner_single: [planner] },
    { wrap: withTickets() },
  );
  const drive = await lab.start('conduct', {});
  await playTo(lab, drive, {}, 'plan');
  await lab.answer(await openGate(lab, drive.run), 'accept');
  await drive.close();
  const build = await buildOf(lab, drive.run);
  const type = async (...argv: string[]) => {
    const terminal = createTerminal({ api: { ...lab.api, close: async () => undefined } });
    return { exit: await terminal.run(...argv), out: terminal.out() };
  };
  const asked = await type('resume', drive.run);
  expect(asked.exit).toBe(EXIT.waiting);
  expect(asked.out).toContain('Conventions: skipped, no conventions file was found.');
  expect(asked.out).toContain(`baton answer ${build}.g1 retry`);
  const json = await type('resume', build, '--json');
  expect(JSON.parse(json.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'waiting',
    run: build,
    gate: `${build}.g1`,
  });
  const answered = await type('answer', `${build}.g1`, 'retry');
  expect(answered.exit).toBe(EXIT.done);
  expect(answered.out).toContain(`It is committed on its own branch without a question: ticket ${drive.run}`);
  expect((await lab.row(drive.run)).step).toMatchObject({ kind: 'end', outcome: { result: 'released' } });
}, 60_000);
