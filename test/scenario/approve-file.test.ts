import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DeliverState } from '../../src/contract/deliver.ts';
import { deliverScript, deliverSpec, passing, writes } from '../support/deliver-script.ts';
import { translator } from '../support/texts.ts';
import { labsOfTest, playTo } from './quick-lab.ts';

const labs = labsOfTest();
const SPEC = '# Sums\n\n- AC-1: adds two numbers\n- AC-2: adds negative ones\n';
const [AC1] = deliverSpec().completion_criteria;
const BOTH = ['AC-1', 'AC-2'].map((id) => ({ ...AC1, id }) as NonNullable<typeof AC1>);
const FILES = { 'specs/sums.md': SPEC };

test('WF-42: a specification written by hand is built once a person has approved exactly that text', async () => {
  const lab = await labs.open({
    files: FILES,
    script: deliverScript({
      planner_single: [
        { result: deliverSpec(), attempts: [{ result: deliverSpec({ completion_criteria: BOTH }) }] },
      ],
      generator_single: [writes()],
      evaluator: [passing(undefined, ['AC-1', 'AC-2'])],
    }),
  });
  const early = await lab.refused('deliver', { from_spec: 'specs/sums.md' });
  expect(translator('en')(early.message)).toContain('baton approve specs/sums.md');
  const approval = await lab.start('approve', { path: 'specs/sums.md' });
  const asked = await playTo(lab, approval, {}, 'approve');
  const waiting = await lab.refused('deliver', { from_spec: 'specs/sums.md' });
  expect(waiting.message.msg).toBe('engine.rejection.spec_not_approved');
  expect(asked.gate?.artefacts.spec).toBe(lab.deps.hash(SPEC));
  const rest = await playTo(lab, approval, { approve: [['approve']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'approved' });
  const drive = await lab.start('deliver', {
    from_spec: 'specs/sums.md',
    mode: 'single',
    model_config: 'balanced',
  });
  const ended = await playTo(lab, drive, { conventions: [['skip']], spec: [['proceed']] });
  expect(ended).toMatchObject({ status: 'ended', outcome: 'passed' });
  const state = (await lab.row(drive.run)).state as unknown as DeliverState;
  expect(state.task).toBe('Implement the approved specification specs/sums.md');
  // The first plan dropped AC-2 and was sent back.
  expect(state.plan.spec?.criteria).toEqual(['AC-1', 'AC-2']);
  expect(state).toMatchObject({
    slug: 'sums',
    docs_path: 'docs/baton/sums/',
    plan: { spec_file: 'deliver_spec.md' },
  });
  expect(readFileSync(path.join(lab.root, 'specs/sums.md'), 'utf8')).toBe(SPEC);
});

test('an approved file that was edited since is refused with both hashes; approving it again lets it through', async () => {
  const lab = await labs.open({ files: FILES });
  const approve = async () => {
    const drive = await lab.start('approve', { path: './specs/sums.md' });
    await playTo(lab, drive, { approve: [['approve']] });
  };
  await approve();
  writeFileSync(path.join(lab.root, 'specs/sums.md'), `${SPEC}- AC-3: more\n`);
  const { message } = await lab.refused('deliver', { from_spec: 'specs/sums.md' });
  expect(message).toMatchObject({
    msg: 'engine.rejection.spec_changed',
    args: { approved: lab.deps.hash(SPEC), found: lab.deps.hash(`${SPEC}- AC-3: more\n`) },
  });
  await approve();
  const drive = await lab.start('deliver', { from_spec: 'specs/sums.md' });
  const state = (await lab.row(drive.run)).state as unknown as DeliverState;
  expect(state.from_spec?.criteria).toEqual(['AC-1', 'AC-2', 'AC-3']);
});

test('stopping approves nothing; a file that is not there halts and a resume reads it', async () => {
  const lab = await labs.open({ files: FILES });
  const stopped = await lab.start('approve', { path: 'specs/sums.md' });
  expect(await playTo(lab, stopped, { approve: [['stop']] })).toMatchObject({ outcome: 'stopped' });
  expect((await lab.refused('deliver', { from_spec: stopped.run })).message.msg).toBe(
    'engine.rejection.spec_not_approved',
  );
  const missing = await lab.start('approve', { path: 'specs/other.md' });
  expect(await missing.advance()).toMatchObject({ status: 'halted' });
  writeFileSync(path.join(lab.root, 'specs/other.md'), SPEC);
  await lab.api.command({ run: missing.run, command: 'resume' });
  expect((await missing.advance()).gate?.name).toBe('approve');
  for (const bad of ['/etc/passwd', '../x.md', '.git/config', 'memory/x.md'])
    expect((await lab.refused('approve', { path: bad })).rejection).toBe('path_refused');
});
