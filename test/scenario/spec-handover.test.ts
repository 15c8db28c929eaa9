import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MODES } from '../../src/contract/deliver.ts';
import type { Hash } from '../../src/contract/ids.ts';
import { SpecDoc } from '../../src/contract/spec-work.ts';
import { deepScript, review, spec } from '../support/deep-script.ts';
import { begin, keep, stateOf as planOf, play, promptOf, withState } from '../workflows/deliver/fixture.ts';
import { APPROVED, labsOfTest, playTo, stateOf, TASK } from './quick-lab.ts';

const labs = labsOfTest();
const PLANNERS = [
  'work planner_single',
  'work architect+senior_dev',
  'work architect+senior_dev+qa_specialist',
];

test('SP-57 from spec to deliver: the prompt of every planner holds all four texts and every criterion id', async () => {
  const lab = await labs.open({
    files: { 'guide.md': 'Names are lower case.\n' },
    script: deepScript({ synthesis: [spec('Photos sort by date.')], critic: [review('M1')] }),
  });
  const input = { task: TASK, mode: 'deep', model_config: 'balanced', reference: 'guide.md' };
  const drive = await lab.start('spec', input);
  const questions = [['answer', { fields: { q1: 'JPEG and HEIC' } }]] as const;
  await playTo(lab, drive, { questions, critic: [['approve']], ...APPROVED });
  const { slug, docs_path, approved } = await stateOf(lab, drive.run);
  const approvedText = await lab.deps.artefacts.get(approved?.spec as Hash);
  const criteria = SpecDoc.parse(JSON.parse(approvedText)).acceptance_criteria.map(({ id }) => id);
  const read = (file: string) => readFileSync(path.join(lab.root, docs_path, file), 'utf8').trim();
  const texts = [read('qa_notes.md'), read('critic_findings.md'), read('conventions.md'), approvedText];
  expect(texts.map((text) => text.length > 0)).toEqual([true, true, true, true]);
  const query = { what: 'handover', input: { docs_path, slug } };
  const found = await lab.deps.workspace.query(query, async (text) => keep(text));

  for (const mode of MODES) {
    const from_spec = {
      run: drive.run,
      slug,
      docs_path,
      spec: keep(approvedText),
      criteria,
      lang: 'en' as const,
      path: `${docs_path}spec.md`,
      base: null,
      artefacts: { qa_notes: null, critic_findings: null, conventions: null },
    };
    const begun = withState(begin({ mode }, { git: null }), { slug, docs_path, from_spec });
    const planning = play(
      begun,
      {
        'query handover': ({ step }) => {
          expect(step).toMatchObject({ what: query });
          return { kind: 'queried', found };
        },
      },
      PLANNERS,
    );
    const calls = planning.step.kind === 'work' ? planning.step.calls : [];
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      const prompt = promptOf(planning, call);
      for (const text of [...texts, ...criteria]) expect(prompt).toContain(text);
    }
    expect(planOf(planning)).toMatchObject({ docs_path, plan: { spec_file: 'deliver_spec.md' } });
  }
});
