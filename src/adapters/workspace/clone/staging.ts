import { randomBytes } from 'node:crypto';
import { type CommitPlace, hooksOf, marked } from '../commit-run.ts';
import { removeFile } from '../files.ts';
import { child, type RealPath } from '../real-path.ts';
import { filterSettings, needPerson } from './person.ts';
import { type RunTree, tipOf } from './run-tree.ts';

/** An index of its own at the run's branch; every file outside of what is staged stays as the branch has it. */
export async function withStaging<T>(
  tree: RunTree,
  effect: string,
  use: (place: CommitPlace, head: string | null) => Promise<T>,
): Promise<T> {
  const { person, at } = tree;
  const repository = await needPerson(person.git, person.root);
  const index = child(at.view, `index.${randomBytes(6).toString('hex')}`);
  const { commit } = await tipOf(tree);
  const place: CommitPlace = {
    git: person.git,
    root: at.tree,
    env: { GIT_DIR: at.view, GIT_WORK_TREE: at.tree, GIT_INDEX_FILE: index, ...marked(effect) },
    hooks: await hooksOf(person.git, repository),
    settings: await filterSettings(person, repository),
  };
  try {
    const from = commit === null ? ['--empty'] : [commit];
    await person.git.need(at.dir, ['read-tree', ...from], { env: place.env });
    await person.git.run(at.dir, ['update-index', '-q', '--refresh'], { env: place.env });
    return await use(place, commit);
  } finally {
    await removeFile(index);
    await removeFile(`${index}.lock` as RealPath);
  }
}

/** The tree of what is staged. */
export async function stagedTree(tree: RunTree, place: CommitPlace): Promise<string> {
  return (await tree.person.git.need(tree.at.dir, ['write-tree'], { env: place.env })).trim();
}
