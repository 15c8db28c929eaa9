import { describe, expect, test } from 'vitest';
import { CONTROLLED, flagOf, parseMode } from '../../src/engine/drive-mode.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { accepted, flag, reopened, setting, stations, told, within } from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';

const labs = labsOfTest();
const open = (set = setting(), more?: (deps: Deps) => Deps): Promise<Lab> =>
  labs.open({ wrap: within(set, more) });

describe('the dial', () => {
  test.each(['partial:plan', 'unattended', 'escalate'])(
    'CON-12 cautious overrides %s to controlled, at the start and at an invocation, with one event that holds the flag',
    async (mode) => {
      const lab = await open(setting('cautious'));
      const drive = await lab.start('way', { stations: stations('a', 'b') }, flag(mode));
      const rest = await drive.advance();
      expect(rest).toMatchObject({ mode: 'controlled', pause: { cause: 'dial' } });
      expect(await told(lab, drive.run, 'dial_override')).toMatchObject([{ flag: mode, trust: 'cautious' }]);
      await lab.answer(gateOf(rest), 'accept');
      expect((await drive.advance()).pause?.cause).toBe('dial');
      await drive.close();
      const again = await reopened(lab, drive.run, mode);
      expect((await again.advance()).mode).toBe('controlled');
      expect(await told(lab, drive.run, 'dial_override')).toMatchObject([{ flag: mode }, { flag: mode }]);
      expect(await told(lab, drive.run, 'auto_accepted')).toEqual([]);
      const notices = lab.progress.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
      const typed = flagOf(parseMode(mode) ?? CONTROLLED);
      const said = { msg: 'engine.dial_override', args: { flag: typed, trust: 'cautious' } };
      expect(notices).toEqual([said, said]);
    },
  );

  test('turned to cautious between two gates it takes the mode away, and raising it does not bring it back (S2)', async () => {
    const set = setting();
    const lab = await open(set);
    const drive = await lab.start('way', { stations: stations('a migration', 'b', 'c') }, flag('unattended'));
    const rest = await drive.advance();
    await lab.answer(gateOf(rest), 'accept');
    set.trust = 'cautious';
    const second = await drive.advance();
    expect(second).toMatchObject({ mode: 'controlled', pause: { cause: 'dial' } });
    set.trust = 'autonomous';
    await lab.answer(gateOf(second), 'accept');
    expect(await drive.advance()).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
    expect(await told(lab, drive.run, 'dial_override')).toHaveLength(1);
    expect(await told(lab, drive.run, 'auto_accepted')).toEqual([]);
    await drive.close();
    const invoked = await reopened(lab, drive.run, 'unattended');
    expect((await invoked.advance()).outcome).toBe('done');
  });

  test('turned to cautious only while the run works between two gates, it still counts (S2)', async () => {
    const set = setting();
    const lab = await open(set, (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        commit: async (changes) => {
          if (changes[0]?.answer) set.trust = 'cautious';
          return deps.store.commit(changes);
        },
      },
      treeOf: (run) => ({
        ...deps.treeOf(run),
        query: async () => {
          set.trust = 'balanced';
          return null;
        },
      }),
    }));
    const drive = await lab.start('way', { stations: stations('a', 'b') }, flag('unattended'));
    expect(await drive.advance()).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
    expect(await accepted(lab, drive.run)).toEqual(['a']);
    expect(await told(lab, drive.run, 'dial_override')).toMatchObject([{ flag: 'unattended' }]);
  });

  test('turned just before an outside write does not make the write look like one of a process that died', async () => {
    const set = setting();
    const deployed: unknown[] = [];
    const lab = await open(set, (deps) => ({
      ...deps,
      outside: { deploy: { perform: async ({ input }) => void deployed.push(input.line) } },
      store: {
        ...deps.store,
        commit: async (changes) => {
          if (changes[0]?.answer) set.trust = 'cautious';
          return deps.store.commit(changes);
        },
      },
    }));
    const way = [{ text: 'a' }, { text: 'v1', deploys: true }];
    const drive = await lab.start('way', { stations: way }, flag('unattended'));
    expect(await drive.advance()).toMatchObject({ gate: { class: 'forward' }, pause: { cause: 'dial' } });
    expect(deployed).toEqual(['v1']);
  });

  test('CON-13 no level adds delegation or lifts a floor', async () => {
    const lab = await open(setting('autonomous'));
    const plain = await lab.start('way', { stations: stations('a') });
    expect((await plain.advance()).pause?.cause).toBe('controlled');
    const handed = await lab.start('way', { stations: stations('a', 'hard') }, flag('unattended'));
    expect((await handed.advance()).pause?.cause).toBe('hard-floor');
    const risky = await lab.start('way', { stations: stations('migration') }, flag('unattended'));
    expect((await risky.advance()).pause?.cause).toBe('risk-floor');
  });
});

describe('one look of the drive', () => {
  test('CON-23 reads the row, tells the overview, then decides, every time', async () => {
    const order: string[] = [];
    const lab = await open(setting(), (deps) => ({
      ...deps,
      // Nobody else looks at the row meanwhile.
      poll_ms: 60_000,
      store: {
        ...deps.store,
        load: (id) => {
          order.push('read');
          return deps.store.load(id);
        },
        commit: (changes) => {
          order.push('decision');
          return deps.store.commit(changes);
        },
      },
    }));
    lab.api.onProgress(({ type }) => type === 'overview' && order.push('overview'));
    const drive = await lab.start('way', { stations: stations('a', 'b migration') }, flag('unattended'));
    order.length = 0;
    await drive.advance();
    const looks = order.join(' ').split(/(?<=decision) /);
    expect(looks).toHaveLength(4);
    for (const query of looks) expect(query).toMatch(/^(read )+overview decision$/);
    const last = lab.progress.findLast((event) => event.type === 'overview');
    expect(last?.lines.map(({ status }) => status)).toEqual(['completed', 'in_progress']);
  });
});
