import { describe, expect, test } from 'vitest';
import type { Deps } from '../../src/runtime/deps.ts';
import { flag, reopened, setting, stations, within } from '../support/handed-over.ts';
import type { Lab } from '../support/lab.ts';
import { recordsOf } from '../support/records-of.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { labsOfTest } from './quick-lab.ts';

const labs = labsOfTest();

interface ProcessRun {
  readonly name: string;
  readonly mode: string;
  readonly one_shot?: boolean;
  readonly stations: readonly object[];
}

const PROCESS_RUNS: readonly ProcessRun[] = [
  { name: 'unattended', mode: 'unattended', stations: stations('a', 'b migration', 'c', 'hard') },
  { name: 'partial', mode: 'partial:decompose', stations: stations('a', 'b', 'form', 'hard') },
  {
    name: 'escalate',
    mode: 'escalate',
    stations: [{ text: 'routine' }, { text: 'worth', worth: true }, { text: 'routine too' }],
  },
  { name: 'one shot', mode: 'unattended', one_shot: true, stations: stations('a', 'b migration', 'c') },
];

/** Writes of a process that decides: between any two of them it may die. */
const isWrite = (label: string) => /(commit|takeLease|releaseLease)$/.test(label);

/** Invokes the run, or takes it over where a process left it, and answers every pause as a person would. */
async function live(lab: Lab, { stations: way, mode, one_shot = false }: ProcessRun): Promise<string> {
  const [found] = await lab.deps.store.list({});
  const drive = found
    ? await reopened(lab, found.id)
    : await lab.start('way', { stations: way }, flag(mode, one_shot));
  for (;;) {
    const { gate } = await drive.advance();
    if (!gate) break;
    await lab.answer(gate, 'accept', gate.class === 'hard' ? { typed: 'way' } : {});
  }
  await drive.close();
  return drive.run;
}

/** What is left of a life, without the names that differ from one to the next. */
async function left({ deps }: Lab, run: string) {
  const row = await deps.store.load(run);
  const events = await deps.store.events(run, 0, 1000);
  const anonymous = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(/"(dr|an)-\w+"|wa-\w+/g, 'null'));
  return {
    row: anonymous({ state: row?.state, status: row?.status, step: row?.step, counters: row?.counters }),
    records: anonymous(await recordsOf(deps, run)),
    answers: (await deps.store.answers(run)).map(({ option, by }) => [
      option,
      'agent' in by ? by.agent : 'person',
    ]),
    events: anonymous(events.map(({ type, by, input }) => ({ type, by, input }))),
  };
}

describe('CON-19 INV-07 killed between any two writes and taken up again, a delegated run ends as if nothing had happened', () => {
  test.each(PROCESS_RUNS)('CON-19 INV-07 $name', { timeout: 120_000 }, async (processRun) => {
    const whole = await labs.open({ wrap: within(setting()) });
    const expected = await left(whole, await live(whole, processRun));
    let n = 1;
    for (let died = true; died; n++) {
      const death = killAt(n, isWrite);
      const lab = await labs.open({ wrap: within(setting()) });
      const dying = await labs.dying(
        lab,
        within(setting(), (deps: Deps) => death.wrap(deps)),
        death.processes,
      );
      died = await diesOf(live(dying, processRun));
      const run = await live(lab, processRun);
      const found = await left(lab, run);
      // Whoever takes a one-shot run up after its pause is a controlled drive of its own, and says so.
      if (processRun.one_shot)
        expect(found, `death ${n}`).toMatchObject({ row: expected.row, records: expected.records });
      else expect(found, `death ${n}`).toEqual(expected);
      expect((await lab.api.doctor(true)).problems).toEqual([]);
    }
    expect(n).toBeGreaterThan(10);
  });
});
