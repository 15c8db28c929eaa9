import { describe, expect, test } from 'vitest';
import { DeliverState } from '../../src/contract/deliver.ts';
import { HandoverFound } from '../../src/contract/deliver-found.ts';
import { DeliverSpec } from '../../src/contract/deliver-work.ts';
import { ANALYST_SECTIONS } from '../../src/contract/spec-analysis.ts';
import { SpecDoc } from '../../src/contract/spec-work.ts';
import type { RoleDefinition } from '../../src/engine/workflow.ts';
import { deliverDocuments, HANDED_ON } from '../../src/workflows/deliver/documents.ts';
import { deliverRoles } from '../../src/workflows/deliver/roles.ts';
import { specDocuments } from '../../src/workflows/spec/documents.ts';
import { specRoles } from '../../src/workflows/spec/roles.ts';
import { keep, plainFolder } from '../adapters/workspace-fixture.ts';
import { hashOf } from '../support/pure-run.ts';
import { templateOf } from '../support/texts.ts';

const PLANNERS = ['architect', 'senior_dev', 'qa_specialist', 'planner_single'] as const;
const ANALYSTS = Object.keys(ANALYST_SECTIONS);

/** What is handed on: the document, its file, and the variable each side reads it by. */
const HANDED = [
  { name: 'qa_notes', file: 'qa_notes.md', readers: ANALYSTS, slot: 'notes', variable: 'qa_discovery_notes' },
  {
    name: 'critic_findings',
    file: 'critic_findings.md',
    readers: ['synthesis'],
    slot: 'findings',
    variable: 'critic_findings',
  },
  {
    name: 'conventions',
    file: 'conventions.md',
    readers: ANALYSTS,
    slot: 'conventions',
    variable: 'conventions',
  },
  { name: 'spec', file: 'spec.md', readers: ['critic'], slot: 'spec', variable: 'approved_spec' },
] as const;

/** Where each part of an approved specification goes in the specification of the change. */
const SECTIONS: Readonly<Record<keyof SpecDoc, readonly string[]>> = {
  goal: ['goal'],
  background_decisions: ['background'],
  scope: ['scope.in'],
  out_of_scope: ['scope.out'],
  edge_cases: ['edge_cases', 'testing_strategy'],
  acceptance_criteria: ['completion_criteria'],
  risks: ['risks'],
};

type Role = Pick<RoleDefinition<never>, 'prompt' | 'words' | 'slots'>;

function expectReads(role: Role | undefined, variable: string): void {
  expect(role?.slots.map(({ name }) => name)).toContain(variable);
  expect(templateOf(role)).toContain(`"${variable}"`);
}

describe('SP-57: what spec hands to deliver', () => {
  test.each(HANDED)(
    '$file is written under this name and read as $variable',
    ({ name, file, readers, slot, variable }) => {
      expect(specDocuments[name].file).toBe(file);
      const roles: Readonly<Record<string, Role>> = specRoles;
      for (const reader of readers) expectReads(roles[reader], slot);
      for (const planner of PLANNERS) expectReads(deliverRoles[planner], variable);
      expect(Object.keys(HandoverFound.shape)).toContain(name);
      if (name === 'spec') return;
      expect(deliverDocuments[name].file).toBe(file);
      expect(HANDED_ON).toContain(file);
    },
  );

  test('spec writes nothing else, and the look of deliver finds each file under its name', async () => {
    expect(Object.keys(specDocuments).sort()).toEqual(HANDED.map(({ name }) => name).sort());
    using fixture = plainFolder();
    for (const { file } of HANDED) fixture.write(`docs/baton/x/${file}`, `text of ${file}\n`);
    const workspace = await fixture.open();
    const query = { what: 'handover', input: { docs_path: 'docs/baton/x/', slug: 'x' } };
    const found = HandoverFound.parse(await workspace.query(query, keep));
    const { unreadable, ...texts } = found;
    expect(unreadable).toEqual([]);
    expect(texts).toEqual(
      Object.fromEntries(HANDED.map(({ name, file }) => [name, hashOf(`text of ${file}\n`)])),
    );
  });

  test('a resolved hand-over names the same documents', () => {
    const artefacts = Object.fromEntries(
      HANDED.flatMap(({ name }) => (name === 'spec' ? [] : [[name, hashOf(name)]])),
    );
    const from_spec = {
      run: 'sp-3aa',
      slug: 'x',
      docs_path: 'docs/baton/x/',
      path: 'docs/baton/x/spec.md',
      spec: hashOf('spec'),
      criteria: ['AC-1'],
      lang: 'en',
      base: null,
      artefacts,
    };
    expect(DeliverState.shape.from_spec.parse(from_spec)).toEqual(from_spec);
  });

  test('every part of a specification has its place in the specification of the change', () => {
    expect(Object.keys(SECTIONS).sort()).toEqual(Object.keys(SpecDoc.shape).sort());
    const { scope, ...parts } = DeliverSpec.shape;
    const locations = [...Object.keys(parts), ...Object.keys(scope.shape).map((side) => `scope.${side}`)];
    // How it is built is the planner's own: no approved specification says it.
    expect(Object.values(SECTIONS).flat().sort()).toEqual(
      locations.filter((location) => location !== 'approach').sort(),
    );
  });

  test('criteria keep id and fields, and a plan that drops an approved id is refused', () => {
    const ours = Object.keys(SpecDoc.shape.acceptance_criteria.element.shape);
    expect(Object.keys(DeliverSpec.shape.completion_criteria.element.shape)).toEqual(ours);
    const doc = { completion_criteria: [{ id: 'AC-2' }] } as never;
    const state = { from_spec: { criteria: ['AC-1', 'AC-2'] } } as never;
    for (const author of ['planner_single', 'synthesis'] as const) {
      expect(deliverRoles[author].check(doc, state)).toEqual([expect.stringContaining('AC-1')]);
    }
  });
});
