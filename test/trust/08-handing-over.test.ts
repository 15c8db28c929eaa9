import { describe, expect, test } from 'vitest';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { answer, call, conduct, create, ticket } from './tickets.ts';

const newWorld = worldsOfTest();
const DELEGATING = ['--unattended', '--escalate', '--pause-at=plan'];
const brief = {
  reason: 'clarification-draft',
  doc: { decide: 'Rename them?', items: [], recommend: { text: 'Yes.', confidence: 'high' } },
  pending_activity: 'clarifying',
};

interface Logged {
  readonly type: string;
  readonly input: { readonly signal?: { readonly command?: string; readonly proof?: string } } | null;
}

describe('handing gates over', () => {
  test.each(DELEGATING)(
    'TRUST-08 CON-116 a process without a terminal that edited a risk word away cannot conduct with %s',
    async (flag) => {
      const world = newWorld({ git: true });
      await create(world, 'Rename photos', '--description', 'Needs a migration.');
      await call(world, 'update_task', { task_id: 'B-1', description: 'By date.' });
      const { code, stderr } = await world.run('conduct', 'B-1', flag);
      expect([code, (await ticket(world)).workflow_state]).toEqual([3, 'Captured']);
      expect(stderr).toContain('Only a person');
    },
  );

  test('TRUST-08 CON-116 without a flag no proof is needed, so a schedule runs, and its gate waits', async () => {
    const world = newWorld({ git: true });
    await create(world, 'Rename photos');
    expect((await world.run('conduct', 'B-1', '--unattended')).code).toBe(3);
    expect((await world.run('conduct', 'B-1')).code).toBe(4);
    expect((await ticket(world)).workflow_state).toBe('Idea');
  });

  test.each([
    ['update_task', { description: 'By date.' }],
    ['compose_brief', brief],
  ])(
    'TRUST-08 CON-116 %s without proof is recorded so and pauses until a person accepts',
    async (operation, input) => {
      const world = newWorld({ git: true });
      await create(world, 'Rename photos', '--description', 'Needs a migration.');
      expect(await conduct(world, '--unattended')).toMatchObject({ pause: { cause: 'risk-floor' } });
      await call(world, 'update_task', { task_id: 'B-1', description: 'By date.' });
      await call(world, operation, { task_id: 'B-1', ...input });

      const paused = await conduct(world, '--pause-at', 'plan');
      expect(paused).toMatchObject({ phase: 'Idea', pause: { cause: 'unproven_edit', classes: [] } });
      const shown = await world.run('gates', 'B-1');
      expect(shown.stdout.replace(/\s+/g, ' ')).toContain('changed without proof of a person');
      const log = await call<Logged[]>(world, 'list_activity', { task_id: 'B-1' });
      const signals = log.flatMap((one) => one.input?.signal ?? []);
      const proofs = signals.flatMap(({ command = '', proof }) =>
        ['edit', 'compose'].includes(command) ? [proof] : [],
      );
      expect([...new Set(proofs)]).toEqual(['none']);

      await answer(world, paused, 'accept');
      expect(await conduct(world, '--pause-at', 'plan')).toMatchObject({
        phase: 'Designed',
        pause: { cause: 'pause-at' },
      });
    },
  );

  test('TRUST-08 CON-116 an edit in a terminal is a person’s: it leaves no mark and ends an earlier one', async () => {
    const world = newWorld({ git: true });
    await create(world, 'Rename photos');
    await call(world, 'update_task', { task_id: 'B-1', description: 'By year.' });
    expect((await conduct(world, '--pause-at', 'plan')).pause?.cause).toBe('unproven_edit');
    const edited = await world.typed('ticket', 'edit', 'B-1', '--description', 'By date.');
    expect(edited.code).toBe(0);
    expect(await conduct(world, '--pause-at', 'plan')).toMatchObject({
      phase: 'Designed',
      pause: { cause: 'pause-at' },
    });
  });
});
