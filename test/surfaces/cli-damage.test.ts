import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { groundsOfTest } from '../scenario/deliver-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';

const { plain, open } = groundsOfTest();

/** Columns of one run that hold JSON, each made unreadable. */
const LOCATIONS = [
  ['its step', 'update runs set step = ? where id = ?'],
  ['its state', 'update runs set state = ? where id = ?'],
  ['its gate', 'update gates set body = ? where run = ?'],
] as const;

async function sayOn(lab: Lab, ...argv: string[]) {
  const terminal = createTerminal({ api: { ...lab.api, close: async () => undefined } });
  const exit = await terminal.run(...argv);
  return { exit, out: terminal.out(), err: terminal.err() };
}

test.each(LOCATIONS)('a run with %s damaged is named, and the others are listed', async (_name, sql) => {
  const lab = await open(plain());
  for (const task of ['Rename photos', 'Sort photos']) await sayOn(lab, 'spec', task, '--mode', 'quick');
  const [broken = '', sound = ''] = (await lab.api.list(true)).map(({ id }) => id as string);
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
  expect(db.prepare(sql).run('{"kind":', broken).changes).toBe(1);
  db.close();

  for (const argv of [['list'], ['status']]) {
    const { exit, out } = await sayOn(lab, ...argv);
    expect({ exit, out }).toMatchObject({ exit: EXIT.done, out: expect.stringContaining(sound) });
    expect(out).toContain(broken);
  }
  const gates = await sayOn(lab, 'gates');
  expect(gates.exit).toBe(EXIT.done);
  expect(gates.out).toContain(`baton answer ${sound}.g1`);
  expect(gates.out + gates.err).toContain(broken);
  for (const argv of [['doctor'], ['doctor', '--deep']]) {
    const { exit, out } = await sayOn(lab, ...argv);
    expect(exit).toBe(EXIT.error);
    expect(out.replace(/\s+/g, ' ')).toMatch(new RegExp(`1 problem: ${broken} ${broken}.* cannot be read`));
  }
  expect((await sayOn(lab, 'status', sound)).exit).toBe(EXIT.done);
});

test.each([
  ['its digest', "update gates set digest = 'sha256:' || replace(hex(zeroblob(32)), '00', 'ab')"],
  ['its options', `update gates set body = json_set(body, '$.options.sneaky', json('{"text":"none"}'))`],
  ['its brief', `update gates set body = json_set(body, '$.brief.decide.msg', 'other')`],
] as const)('an open gate with %s edited by hand is named by the deep look alone', async (_name, sql) => {
  const lab = await open(plain());
  await sayOn(lab, 'spec', 'Rename photos', '--mode', 'quick');
  const [run = ''] = (await lab.api.list(true)).map(({ id }) => id as string);
  expect((await sayOn(lab, 'doctor', '--deep')).exit).toBe(EXIT.done);
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
  expect(db.prepare(sql).run().changes).toBe(1);
  db.close();
  const { exit, out } = await sayOn(lab, 'doctor', '--deep');
  expect(exit).toBe(EXIT.error);
  expect(out.replace(/\s+/g, ' ')).toContain(`1 problem: ${run} gate ${run}.g1 is not what its digest says`);
});

test('a damaged row says so in the overview and sends a person to the doctor', async () => {
  const lab = await open(plain());
  await sayOn(lab, 'spec', 'Rename photos', '--mode', 'quick');
  const [run = ''] = (await lab.api.list(true)).map(({ id }) => id as string);
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
  db.prepare('update runs set step = ?').run('{');
  db.close();
  expect((await sayOn(lab, 'status')).out).toMatch(/^damaged +.*baton doctor$/m);
  const one = await sayOn(lab, 'status', run);
  expect({ ...one, err: one.err.replace(/\s+/g, ' ') }).toMatchObject({
    exit: EXIT.refused,
    err: expect.stringContaining(`${run}: step cannot be read`),
  });
});
