import { describe, expect, test } from 'vitest';
import type { Conventions } from '../../src/contract/conventions.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { type Fixture, keep, lines, plainFolder, repository } from '../adapters/workspace-fixture.ts';
import { hashOf, type PureRun, settlePure } from '../support/pure-run.ts';
import * as deliver from './deliver/fixture.ts';
import * as spec from './spec/fixture.ts';

/** Where conventions could come from, with a text that tells it apart. */
const TEXTS = {
  live: 'LIVE\n',
  reference: 'REFERENCE\n',
  handed_over: 'HANDED OVER\n',
  claude_md: lines(60, 'CLAUDE'),
  candidates: lines(60, 'CANDIDATE'),
} as const;
type Source = keyof typeof TEXTS;

const HANDED_OVER = { deliver: `docs/baton/${deliver.SLUG}/`, spec: spec.fullState.docs_path };

/** The first one there is wins; the last entry is what happens when none is. */
const ORDER = [
  ['spec', true, ['reference', 'claude_md'], 'gate'],
  ['spec', false, ['reference', 'candidates'], 'skipped'],
  ['deliver', true, ['live', 'handed_over', 'claude_md'], 'gate'],
  ['deliver', false, ['live', 'handed_over', 'claude_md'], 'gate'],
] as const;

/** Every set of sources a workflow can meet: `spec` has no live one, `deliver` no reference. */
function setsOf(workflow: 'spec' | 'deliver'): Source[][] {
  const known: Source[] = [
    workflow === 'spec' ? 'reference' : 'live',
    'handed_over',
    'claude_md',
    'candidates',
  ];
  return Array.from({ length: 2 ** known.length }, (_, n) =>
    known.filter((_source, bit) => (n >> bit) % 2 === 1),
  );
}

function lay(fixture: Fixture, workflow: 'spec' | 'deliver', sources: readonly Source[]): void {
  const files: Partial<Record<Source, string>> = {
    reference: 'guide.md',
    handed_over: `${HANDED_OVER[workflow]}conventions.md`,
    claude_md: 'CLAUDE.md',
    candidates: 'CONTRIBUTING.md',
  };
  for (const source of sources) {
    const file = files[source];
    if (file) fixture.write(file, TEXTS[source]);
  }
}

/** What a workflow asks the world about conventions, answered by the real workspace. */
async function queried(run: PureRun, workspace: Workspace): Promise<PureRun> {
  if (run.step.kind !== 'query') throw new Error(`no look but ${run.step.kind}`);
  return settlePure(run, { kind: 'queried', found: await workspace.query(run.step.what, keep) });
}

async function playSpec(workspace: Workspace, git: boolean, sources: readonly Source[]): Promise<PureRun> {
  const reference = { path: 'guide.md', hash: hashOf(TEXTS.reference) };
  const named = sources.includes('reference');
  const facts = { git: git ? spec.GIT : null, ...(named ? { reference } : {}) };
  const run = spec.atConventions(named ? { reference: 'guide.md' } : {}, facts);
  return queried(run, workspace);
}

async function playDeliver(workspace: Workspace, git: boolean, sources: readonly Source[]): Promise<PureRun> {
  const begun = deliver.begin({}, git ? {} : { git: null });
  const at = deliver.play(begun, {}, ['query handover']);
  const live = sources.includes('live') ? { conventions: { artefact: hashOf(TEXTS.live) } } : {};
  const run = await queried(deliver.withState(at, live), workspace);
  return deliver.keyOf(run.step) === 'query conventions' ? queried(run, workspace) : run;
}

function outcomeOf(run: PureRun): string {
  const conventions = run.state.conventions as Conventions;
  if (conventions === 'skipped') return 'skipped';
  if (conventions === null) return run.step.kind === 'gate' ? `gate ${run.step.gate.name}` : run.step.kind;
  const source = Object.entries(TEXTS).find(([, text]) => hashOf(text) === conventions.artefact)?.[0];
  return source ?? 'unknown';
}

describe('SP-63: where conventions come from, by workflow, git and what there is', () => {
  test.each(ORDER)('%s, git %s: %j, else %s', async (workflow, git, order, none) => {
    for (const sources of setsOf(workflow)) {
      using fixture = git ? repository() : plainFolder();
      lay(fixture, workflow, sources);
      const play = workflow === 'spec' ? playSpec : playDeliver;
      const run = await play(await fixture.open(), git, sources);
      const first = order.find((source) => sources.includes(source));
      const expected = first ?? (none === 'gate' ? 'gate conventions' : none);
      expect(outcomeOf(run), sources.join()).toBe(expected);
    }
  });
});
