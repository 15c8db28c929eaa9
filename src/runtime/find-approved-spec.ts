import * as z from 'zod';
import { SpecFileFound } from '../contract/approve.ts';
import { ApprovedSpec, FolderPath } from '../contract/approved-spec.ts';
import { ArtefactHash } from '../contract/conventions.ts';
import type { Hash } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { SpecDoc } from '../contract/spec-work.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { BaseState, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import { renderDocument } from './prepare-op.ts';
import { artefactsOf } from './read.ts';
import type { ShownArtefact } from './views.ts';

/** The fields of an input that can name a specification to start from. */
interface Named {
  readonly from_spec?: string | null;
  readonly output_dir?: string | null;
}

/** State of such a run after a person has approved the text and its documents are written. */
const Approved = z.object({
  phase: z.literal('completed'),
  slug: z.string(),
  docs_path: FolderPath,
  branch: z.string().nullable().default(null),
  approved: z.object({ spec: ArtefactHash }),
  /** Only for a specification written by hand: its file and the ids found in it. */
  path: z.string().nullable().default(null),
  criteria: z.array(z.string()).default([]),
});
type Approved = z.infer<typeof Approved>;

/** Workflows that end in an approved specification. */
const APPROVING = ['spec', 'approve'];

/**
 * The approved specification that an input names, by its run or by the folder of its documents (WF-94). Null if the
 * input names none. An unknown, unapproved or changed specification is refused before anything is created. `parent` is
 * the run that spawns this one, as it will be after its own move is committed.
 */
export async function findApprovedSpec(
  deps: Deps,
  input: Named,
  parent: Run | null,
): Promise<ApprovedSpec | Rejection | null> {
  const named = input.from_spec ?? null;
  const ticket = named === parent?.id ? parent : named === null ? undefined : await deps.store.load(named);
  const def = ticket && (await deps.workflow(ticket.workflow));
  if (ticket && def?.plan) return handOverPlan(deps, ticket, def, def.plan);
  const runs = await specRuns(deps, named ?? input.output_dir ?? null);
  const [newest] = runs;
  if (!newest) return named === null ? null : refuse('no_such_spec', { spec: named });
  const found = runs.map((run) => ({ run, state: Approved.safeParse(run.state).data }));
  const approved = found.find(({ state }) => state !== undefined);
  if (approved?.state) return handOver(deps, approved.run, approved.state);
  return named === null ? null : refuse('spec_not_approved', { run: newest.id });
}

function refuse(why: string, args: Readonly<Record<string, string>>): Rejection {
  return reject('spec_refused', args, { msg: `engine.rejection.${why}` });
}

/** The run with that id, or all runs about that document folder or file, newest first. */
async function specRuns(deps: Deps, name: string | null): Promise<Run[]> {
  if (name === null) return [];
  const plain = name.replace(/^\.\//, '').replace(/\/+$/, '');
  const isMeant = ({ id, workflow, state }: Run) =>
    id === name || state.path === plain || (workflow === 'spec' && state.docs_path === `${plain}/`);
  const rows: Run[] = [];
  for (const { id, workflow } of await deps.store.list({})) {
    const row = APPROVING.includes(workflow) ? await deps.store.load(id) : undefined;
    if (row && isMeant(row)) rows.push(row);
  }
  return rows.sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** Hands over the rendered plan of a ticket, stored as the approved text. */
async function handOverPlan(
  deps: Deps,
  run: Run,
  def: Workflow,
  planOf: NonNullable<Workflow['plan']>,
): Promise<ApprovedSpec | Rejection> {
  const plan = planOf(run.state as unknown as BaseState);
  if (!plan) return refuse('spec_not_approved', { run: run.id });
  const { document, ...handed } = plan;
  const ref = { document, source: { json: run.state } };
  const { name, text } = await renderDocument(deps, ref, { run, def });
  const spec = await deps.artefacts.put(text);
  return ApprovedSpec.parse({
    ...handed,
    run: run.id,
    path: `${handed.docs_path}${name}`,
    spec,
    lang: run.lang,
  });
}

async function handOver(deps: Deps, run: Run, state: Approved): Promise<ApprovedSpec | Rejection> {
  const shown = await artefactsOf(deps, run.id);
  if (isRejection(shown)) return shown;
  const documents = new Map(shown.map((document) => [document.name, document]));
  const { commit, changed } =
    state.path === null
      ? await compare(deps, state, documents.get('spec'))
      : await compareFile(deps, state.path, state.approved.spec);
  if (changed) return changed;
  const keep = async (name: string) => {
    const text = documents.get(name)?.text;
    return text === undefined ? null : deps.artefacts.put(text);
  };
  return ApprovedSpec.parse({
    run: run.id,
    slug: state.slug,
    docs_path: state.docs_path,
    path: state.path ?? `${state.docs_path}spec.md`,
    spec: state.approved.spec,
    criteria: state.path === null ? await criteriaOf(deps, state.approved.spec) : state.criteria,
    lang: run.lang,
    base: commit,
    artefacts: {
      qa_notes: await keep('qa_notes'),
      critic_findings: await keep('critic_findings'),
      conventions: await keep('conventions'),
    },
  });
}

async function criteriaOf(deps: Deps, spec: Hash): Promise<string[]> {
  const { acceptance_criteria } = SpecDoc.parse(JSON.parse(await deps.artefacts.get(spec)));
  return acceptance_criteria.map(({ id }) => id);
}

interface Compared {
  readonly commit: string | null;
  readonly changed: Rejection | null;
}

/** Compares a file written by the person with its approved text. */
async function compareFile(deps: Deps, path: string, approved: Hash): Promise<Compared> {
  const query = { what: 'spec_file', input: { path } };
  const { hash: found } = SpecFileFound.parse(
    await deps.workspace.query(query, async (text) => deps.hash(text)),
  );
  return {
    commit: null,
    changed: found === approved ? null : refuse('spec_changed', { path, approved, found }),
  };
}

const BranchFile = z.object({ commit: z.string().nullable(), text: z.string().nullable() });

/** Compares the approved document with the one on the run's branch and the one in the folder, if they exist. */
async function compare(
  deps: Deps,
  { branch, docs_path, slug }: Approved,
  document: ShownArtefact | undefined,
): Promise<Compared> {
  const hash = (text: string) => deps.hash(text.replaceAll('\r\n', '\n'));
  const path = `${docs_path}spec.md`;
  const onBranch = BranchFile.parse(
    branch === null
      ? { commit: null, text: null }
      : await deps.workspace.query({ what: 'branch_file', input: { branch, path } }, async (text) =>
          hash(text),
        ),
  );
  const query = { what: 'handover', input: { docs_path, slug } };
  const inFolder = (await deps.workspace.query(query, async (text) => hash(text))) as { spec: string | null };
  const approved = hash(document?.text ?? '');
  const found = [onBranch.text === null ? null : hash(onBranch.text), inFolder.spec];
  const other = found.find((one) => one !== null && one !== approved);
  const changed = other ? refuse('spec_changed', { path, approved, found: other }) : null;
  return { commit: onBranch.commit, changed };
}
