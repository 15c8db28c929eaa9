import { hashOf, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { hooksOf } from '../commit-run.ts';
import { controlFiles, filesIn } from '../git-state.ts';
import { needPerson, type Person } from './person.ts';

/**
 * Fingerprints of what git and Baton obey in the person's own repository: settings, hooks and `baton.yaml`. The folder
 * of `core.hooksPath` is included wherever it is. The names do not show where it is on this machine.
 */
export async function personControls(person: Person): Promise<Record<string, string>> {
  const repository = await needPerson(person.git, person.root);
  const hooks = await hooksOf(person.git, repository);
  const config = child(repository.top, 'baton.yaml');
  const found = (await statOf(config)) === null ? null : await hashOf(config);
  return {
    ...(await controlFiles(repository)),
    ...(hooks !== child(repository.commonDir, 'hooks') && {
      'core.hooksPath': hooks,
      ...(await filesIn(hooks as RealPath, 'core.hooksPath')),
    }),
    ...(found !== null && { 'baton.yaml': found }),
  };
}
