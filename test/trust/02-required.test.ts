import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { changing, groundsOfTest, SINGLE, SMALL } from '../scenario/deliver-lab.ts';
import { gateOf } from '../support/lab.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';

const newWorld = worldsOfTest();
const grounds = groundsOfTest();
const outside = path.resolve('node_modules', `.baton-outside-${process.pid}`);
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(outside, { force: true });
});

test.each([['spec'], ['deliver'], ['ticket', 'create']])(
  'TRUST-02 `sandbox: required` refuses to start (%s) where bubblewrap cannot be used',
  async (...command) => {
    const world = newWorld({ git: true, bare: true, files: { 'baton.yaml': 'sandbox: required\n' } });
    const { code, stdout, stderr } = await world.run(...command, 'Greet in capitals', '--json');
    expect([code === 0, `${stdout}${stderr}`]).toEqual([false, expect.stringContaining('no_sandbox')]);
    expect(await world.json('status')).toMatchObject({ waiting: [], working: [] });
  },
);

describe('a run that started in the sandbox', () => {
  test('TRUST-02 never runs a check or a worker without it, and says why it stands still', async () => {
    const ground = grounds.repository({
      ...SMALL,
      'check.sh': `touch ${outside}; grep -qi hello greeting.txt\n`,
    });
    const lab = await grounds.open(ground, changing(), { contained: true });
    const drive = await lab.start('deliver', SINGLE);
    const rest = await drive.advance();
    expect((await lab.row(rest.run)).policy.containment).toEqual({
      kind: 'bwrap',
      check_network: false,
      why: null,
    });
    await lab.close();
    // The machine of the next process has no bubblewrap that works.
    const bin = ground.path('../bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: broken" >&2\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env.PATH}`);
    const later = await grounds.open(ground, changing(), { contained: true });
    const opened = await later.api.open({ run: rest.run, attended: false });
    if ('rejection' in opened) throw new Error('not opened');
    await later.answer(gateOf(await opened.advance()), 'skip');
    const stuck = await opened.advance();
    expect(stuck.gate?.name).toBe('trouble_infrastructure');
    expect(JSON.stringify(stuck.gate)).toContain('bwrap: broken');
    expect(existsSync(outside), 'a check ran without the sandbox').toBe(false);
  });
});
