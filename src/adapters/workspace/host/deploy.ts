import type { Deploy, Deployed, Observed, ObserveLook } from '../../../contract/code-host.ts';
import { AdapterError } from '../../../engine/errors.ts';
import type { HostCall } from '../../../ports/code-host.ts';
import type { CommandDone } from '../../../ports/commands.ts';
import type { Keep } from '../../../ports/workspace.ts';
import { failure } from '../failure.ts';
import { checkOut } from './checkout.ts';
import { endOf, type HostCommand, keepOutput, runHostCommand, tailOf } from './commands.ts';
import { type HostParts, type HostPlace, see } from './place.ts';
import { isContained } from './scratch.ts';

/** Makes the place of one operation and works there. Nothing of it is needed where no command is configured. */
export type AtPlace = <T>(work: (place: HostPlace) => Promise<T>) => Promise<T>;

/**
 * Runs the deploy command on the merged commit. Whatever fails once it has started is `deploy_failed` and never tried
 * again by itself: it may have done a part.
 */
export async function deploy(
  { release }: HostParts,
  at: AtPlace,
  input: Deploy,
  keep: Keep,
): Promise<Deployed> {
  const command = release.deploy;
  if (command === null) return { deployed: true, command, output: null };
  return at(async (place) => {
    const done = await onMerged(place, input, { name: 'deploy', line: command });
    const output = await keepOutput(done, keep);
    if (done.exit === 0) return { deployed: true, command, output };
    throw failure('deploy_failed', `${endOf(place, done)}${output === null ? '' : `\n(${output})`}`);
  });
}

/** After a crash: asks the command that knows. Without one, or when it cannot say, nobody does. */
export async function findDeployed(
  { release }: HostParts,
  at: AtPlace,
  input: Deploy,
): Promise<Deployed | null | 'unknown'> {
  const { deploy: command, deployed: line } = release;
  if (command === null) return { deployed: true, command, output: null };
  if (line === null) return 'unknown';
  try {
    const { exit } = await at((place) => onMerged(place, input, { name: 'deployed', line }));
    if (exit === 0) return { deployed: true, command, output: null };
    return exit === 1 ? null : 'unknown';
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return 'unknown';
  }
}

const SHOWN = { lines: 60, characters: 4_000 };

/** Looks at what was released with the configured command. */
export async function observe(
  { release }: HostParts,
  at: AtPlace,
  input: ObserveLook,
  { keep, signal }: HostCall,
): Promise<Observed> {
  const line = release.observe;
  if (line === null) return { configured: false, ok: null, exit: null, output: '', output_hash: null };
  return at(async (place) => {
    const done = await onMerged(place, input, { name: 'observe', line, signal });
    const output = done.exit === null ? endOf(place, done) : tailOf(done, SHOWN);
    const output_hash = await keepOutput(done, keep);
    return { configured: true, ok: done.exit === 0, exit: done.exit, output, output_hash };
  });
}

/** Runs a command in the files of a commit that the base at the remote holds. */
async function onMerged(
  place: HostPlace,
  { ticket, sha, base }: ObserveLook,
  command: Pick<HostCommand, 'name' | 'line' | 'signal'>,
): Promise<CommandDone> {
  const { base_sha } = await see(place, { branch: null, base });
  if (!(await isContained(place.scratch, sha, base_sha)))
    throw failure('commit_missing', `${sha} is not in ${base} at ${place.remote.name}`);
  const tree = await checkOut(place, sha);
  const told = { TICKET: ticket, SHA: sha, BASE: base };
  return runHostCommand(place, { ...command, tree, told });
}
