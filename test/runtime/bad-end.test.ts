import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/contract/event.ts';
import type { AgentEvent } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { diesOf, killAt } from '../scenario/kill-in-process.ts';
import { labsOfTest, reopen } from '../scenario/quick-lab.ts';
import { gateOf } from '../support/lab.ts';

const labs = labsOfTest();
const WHY = 'exit 1: Invalid API key: start `it` once and sign in';
const ALONE = { script: [{ do: 'work', roles: ['alpha'] }] };
const BAD: AgentEvent = { type: 'ended', outcome: 'failed', detail: WHY };

const saying =
  (...events: readonly AgentEvent[]) =>
  (deps: Deps): Deps => ({
    ...deps,
    agent: async (policy, role) => ({
      ...(await deps.agent(policy, role)),
      async *run() {
        yield* [...events, BAD];
      },
    }),
  });

test.each([
  ['nothing', []],
  ['words', [{ type: 'text', text: 'Something is wrong with me.' }]],
  ['a value that does not fit', [{ type: 'result', value: { no: 1 } }]],
  ['a value that fits', [{ type: 'result', value: { say: 'a' } }]],
] as const)('a worker that ends badly and left %s: the person is told why', async (_, events) => {
  const lab = await labs.open({ wrap: saying(...events) });
  const drive = await lab.start('probe', ALONE);
  await drive.advance();
  const failed = lab.progress.filter((one) => one.type === 'call' && one.state === 'failed');
  expect(failed).toMatchObject([{ text: expect.stringContaining(WHY) }]);
});

test('an agent that waits for the person is asked once, the gate says what to do, and then it works', async () => {
  const asked: string[] = [];
  const signedOut = (deps: Deps): Deps => ({
    ...deps,
    agent: async (policy, role) => ({
      ...(await deps.agent(policy, role)),
      async *run({ key }) {
        asked.push(key);
        if (asked.length === 1) return yield { type: 'ended', outcome: 'blocked', detail: WHY };
        yield { type: 'result', value: { say: 'a' } };
        yield { type: 'ended', outcome: 'finished', detail: '' };
      },
    }),
  });
  const lab = await labs.open({ wrap: signedOut });
  const drive = await lab.start('probe', ALONE);
  const gate = gateOf(await drive.advance());
  expect(gate.name).toBe('trouble_infrastructure');
  expect(gate.brief.why).toMatchObject([
    { msg: 'engine.trouble.infrastructure.why.blocked', args: { agent: 'rehearsal', problem: WHY } },
    { msg: 'engine.trouble.infrastructure.another', args: { run: drive.run } },
  ]);
  expect(asked).toHaveLength(1);
  expect((await lab.deps.store.spend(drive.run)).attempts).toBe(0);
  await lab.answer(gate, 'retry');
  expect((await drive.advance()).outcome).toBe('done');
  expect(asked).toHaveLength(2);
  expect((await lab.row(drive.run)).state.last).toEqual(['ok']);
});

test('that a call was interrupted stands in the log also where it then runs into trouble', async () => {
  const faults = { crash: true, attempts: [{ crash: true }, { crash: true }] };
  const lab = await labs.open({ script: JSON.stringify({ script: 1, roles: { alpha: [faults] } }) });
  const death = killAt(1, (label) => label === 'while worker alpha');
  const dying = await labs.dying(lab, ...death.parts);
  const drive = await dying.start('probe', ALONE);
  expect(await diesOf(drive.advance())).toBe(true);
  const again = await reopen(lab, drive.run);
  expect(gateOf(await again.advance()).name).toBe('trouble_infrastructure');
  const asked = (await lab.api.log(drive.run, 0)) as readonly RunEvent[];
  const notices = await lab.deps.store.records(drive.run, 'notice');
  expect(notices).toMatchObject([
    {
      seq: asked.find(({ type }) => type === 'trouble_opened')?.seq,
      record: { text: { msg: 'engine.recovered' } },
    },
  ]);
});

test('a call interrupted again and again: the log tells how often, though each life took its words with it', async () => {
  const lab = await labs.open({
    script: JSON.stringify({ script: 1, roles: { alpha: [{ result: { say: 'ok' } }] } }),
  });
  const processRuns = async (n: number, run: string | null): Promise<string> => {
    const death = killAt(1, (label) => label === 'while worker alpha');
    const dying = await labs.dying(lab, ...death.parts);
    const drive = run === null ? await dying.start('probe', ALONE) : await reopen(dying, run);
    expect(await diesOf(drive.advance())).toBe(true);
    return n === 1 ? drive.run : processRuns(n - 1, drive.run);
  };
  const run = await processRuns(3, null);
  expect((await (await reopen(lab, run)).advance()).outcome).toBe('done');
  const notices = await lab.deps.store.records(run, 'notice');
  const told = notices.flatMap(({ record }) => (record.kind === 'notice' ? [record.text] : []));
  expect(told.filter(({ msg }) => msg.startsWith('engine.recovered'))).toMatchObject([
    { msg: 'engine.recovered' },
    { msg: 'engine.recovered_before', args: { role: 'alpha', times: 2 } },
  ]);
});

test('a result nested deeper than any stack is one that does not fit, and no bug of ours', async () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const given = (deps: Deps): Deps => ({
    ...deps,
    agent: async (policy, role) => ({
      ...(await deps.agent(policy, role)),
      async *run() {
        yield* [
          { type: 'result', value: deep } as const,
          { type: 'ended', outcome: 'finished', detail: '' } as const,
        ];
      },
    }),
  });
  const lab = await labs.open({ wrap: given });
  const drive = await lab.start('probe', ALONE);
  await drive.advance();
  const row = await lab.row(drive.run);
  expect(row.halt).toBeNull();
  const notices = await lab.deps.store.records(drive.run, 'notice');
  expect(JSON.stringify(notices)).toContain('engine.attempt_invalid');
});
