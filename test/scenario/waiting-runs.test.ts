import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { Gate } from '../../src/contract/gate.ts';
import { conductGates } from '../../src/workflows/conduct/gates.ts';
import { deliverGates } from '../../src/workflows/deliver/gates.ts';
import { specGates } from '../../src/workflows/spec/gates.ts';
import { initGit, openLabAt } from '../support/lab.ts';

/** State folders that an earlier version wrote: one for each gate, with a run that waits there (write-waiting-runs.ts). */
const base = mkdtempSync(path.join(tmpdir(), 'baton-waiting-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const packed = readFileSync(path.join(import.meta.dirname, '../fixtures/waiting-runs.tar.br'));
const stores = path.join(base, 'stores');
mkdirSync(stores);
execFileSync('tar', ['-C', stores, '-xf', '-'], { input: brotliDecompressSync(packed) });

/** `deliver` never offers a choice of convention files (SP-63), so its run cannot wait there. */
const NEVER_OPEN = ['deliver.candidates'];

test('a run waits at each gate of the three workflows', () => {
  const tables = { conduct: conductGates, deliver: deliverGates, spec: specGates };
  const names = Object.entries(tables)
    .flatMap(([workflow, table]) => Object.keys(table).map((gate) => `${workflow}.${gate}`))
    .filter((name) => !NEVER_OPEN.includes(name));
  expect(readdirSync(stores)).toEqual(expect.arrayContaining(names));
});

test.each(readdirSync(stores))(
  '%s: the run is sound, shows its gate, and takes each answer',
  async (name) => {
    const options = await withCopy(name, async ({ gate, problems }) => {
      expect(problems).toEqual([]);
      return Object.keys(gate.options);
    });
    expect(options).not.toEqual([]);
    for (const option of options) {
      await withCopy(name, async ({ gate, lab }) => {
        const before = (await lab.row(gate.run)).revision;
        const { text, untyped, fields } = gate.options[option] ?? {};
        const hard = gate.class === 'hard' && untyped !== true;
        await lab.answer(gate, option, {
          ...(text === 'required' && { text: textFor(name, option) }),
          ...(fields && { fields: Object.fromEntries((gate.fields ?? []).map(({ id }) => [id, 'JPEG'])) }),
          ...(hard && { typed: gate.typed ?? gate.run }),
        });
        expect((await lab.row(gate.run)).revision).toBeGreaterThan(before);
        const { problems } = await lab.api.doctor(true);
        expect(problems).toEqual([]);
      });
    }
  },
);

/** An edit of a brief is JSON. */
function textFor(name: string, option: string): string {
  return name.startsWith('conduct.') && option === 'edit' ? '{"why":["Because."]}' : 'As I say.';
}

interface Copy {
  readonly lab: Awaited<ReturnType<typeof openLabAt>>;
  readonly gate: Gate;
  readonly problems: readonly unknown[];
}

async function withCopy<T>(name: string, use: (copy: Copy) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(path.join(base, 'copy-'));
  const location = { root: path.join(dir, 'photos'), home: path.join(dir, 'home') };
  cpSync(path.join(stores, name), location.home, { recursive: true });
  mkdirSync(location.root);
  initGit(location.root);
  const lab = await openLabAt(location, {});
  try {
    const runs = await lab.deps.store.list({});
    const gates = (await Promise.all(runs.map(({ id }) => lab.deps.store.openGates(id)))).flat();
    const gate = gates.find((one) => name.endsWith(`.${one.name}`));
    if (!gate) throw new Error(`no run waits at ${name}`);
    return await use({ lab, gate, problems: (await lab.api.doctor(true)).problems });
  } finally {
    await lab.close();
    rmSync(dir, { recursive: true });
  }
}
