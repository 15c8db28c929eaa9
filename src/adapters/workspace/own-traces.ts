import type { Traces } from '../../contract/upkeep.ts';
import { removeFile, statOf } from '../../files/real-files.ts';
import { child, type RealPath, realFolder } from '../../files/real-path.ts';
import { removeTree } from '../../files/state-files.ts';
import { withIo } from '../../files/with-io.ts';
import { branchRef, checkedOutBranches } from '../git/branch.ts';
import { createGit, type Git, type GitEnvironment } from '../git/git.ts';
import { findRepository, type Repository } from '../git/repository.ts';

interface TracesContext {
  readonly root: string;
  readonly home: string;
  readonly namespace: string;
  readonly environment: GitEnvironment;
}

/** Everything Baton left for one repository: its state folder, and files, refs and branches in the git directory. */
export function findTraces(location: TracesContext): Promise<Traces> {
  return withIo('clean', async () => {
    const { git, root, repository } = await repositoryOf(location);
    const id = repository === null ? null : child(repository.commonDir, 'baton-id');
    return {
      name: root.slice(root.lastIndexOf('/') + 1),
      state: location.home,
      files: id !== null && (await statOf(id)) !== null ? [id] : [],
      refs: repository === null ? [] : await refsBelow(git, root, 'refs/baton/'),
      branches:
        repository === null
          ? []
          : (await refsBelow(git, root, branchRef(`${location.namespace}/`))).map((ref) =>
              ref.slice(branchRef('').length),
            ),
    };
  });
}

/**
 * Removes the traces, and branches only if asked. The state folder is removed last: after a crash the same command
 * finds the rest. A branch that is checked out stays.
 */
export async function removeTraces(location: TracesContext, branches: boolean): Promise<void> {
  const traces = await findTraces(location);
  await withIo('clean', async () => {
    const { git, root, repository } = await repositoryOf(location);
    const busy =
      repository === null ? [] : await checkedOutBranches({ git, root, namespace: location.namespace });
    const free = traces.branches.filter((name) => ![...busy].includes(name)).map(branchRef);
    const gone = [...traces.refs, ...(branches ? free : [])];
    if (gone.length > 0)
      await git.need(root, ['update-ref', '--no-deref', '--stdin'], {
        input: gone.map((ref) => `delete ${ref}\n`).join(''),
      });
    for (const file of traces.files) await removeFile(file as RealPath);
    await removeTree(location.home as RealPath);
  });
}

async function repositoryOf(
  location: TracesContext,
): Promise<{ git: Git; root: RealPath; repository: Repository | null }> {
  const git = createGit(location.environment);
  const root = await realFolder(location.root);
  return { git, root, repository: await findRepository(git, root) };
}

async function refsBelow(git: Git, root: RealPath, prefix: string): Promise<string[]> {
  const listed = await git.need(root, ['for-each-ref', '--format=%(refname)', prefix]);
  return listed.split('\n').filter((line) => line !== '');
}
