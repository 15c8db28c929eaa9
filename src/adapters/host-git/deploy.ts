import type { Deploy, Deployed, Observed, ObserveQuery } from '../../contract/code-host.ts';
import { AdapterError, failure } from '../../engine/errors.ts';
import type { HostCall } from '../../ports/code-host.ts';
import type { CommandDone } from '../../ports/commands.ts';
import type { StoreText } from '../../ports/workspace.ts';
import { checkOut, endOf, type HostCommand, runHostCommand, storeOutput, tailOf } from './commands.ts';
import { type HostContext, type HostParts, see } from './context.ts';
import { isContained } from './scratch.ts';

/** Creates the scratch folder of one operation and works there. It is not needed if no command is configured. */
export type WithHost = <T>(work: (location: HostContext) => Promise<T>) => Promise<T>;

/**
 * Runs the deploy command on the merged commit. Any failure after the start is `deploy_failed` and is never retried
 * automatically: the command may have done a part.
 */
export async function deploy(
  { release }: HostParts,
  at: WithHost,
  input: Deploy,
  keep: StoreText,
): Promise<Deployed> {
  const command = release.deploy;
  if (command === null) return { deployed: true, command, output: null };
  return at(async (location) => {
    const done = await onMerged(location, input, { name: 'deploy', line: command });
    const output = await storeOutput(done, keep);
    if (done.exit === 0) return { deployed: true, command, output };
    throw failure('deploy_failed', `${endOf(location, done)}${output === null ? '' : `\n(${output})`}`);
  });
}

/**
 * After a crash, runs the configured command that knows whether the deploy happened. Without such a command, or if it
 * cannot say, the result is unknown.
 */
export async function findDeployed(
  { release }: HostParts,
  at: WithHost,
  input: Deploy,
): Promise<Deployed | null | 'unknown'> {
  const { deploy: command, deployed: line } = release;
  if (command === null) return { deployed: true, command, output: null };
  if (line === null) return 'unknown';
  try {
    const { exit } = await at((location) => onMerged(location, input, { name: 'deployed', line }));
    if (exit === 0) return { deployed: true, command, output: null };
    return exit === 1 ? null : 'unknown';
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return 'unknown';
  }
}

const SHOWN = { lines: 60, characters: 4_000 };

/** Observes what was released with the configured command. */
export async function observe(
  { release }: HostParts,
  at: WithHost,
  input: ObserveQuery,
  { keep, signal }: HostCall,
): Promise<Observed> {
  const line = release.observe;
  if (line === null) return { configured: false, ok: null, exit: null, output: '', output_hash: null };
  return at(async (location) => {
    const done = await onMerged(location, input, { name: 'observe', line, signal });
    const output = done.exit === null ? endOf(location, done) : tailOf(done, SHOWN);
    const output_hash = await storeOutput(done, keep);
    return { configured: true, ok: done.exit === 0, exit: done.exit, output, output_hash };
  });
}

/** Runs a command in the files of a commit. The base at the remote must contain that commit. */
async function onMerged(
  location: HostContext,
  { ticket, sha, base }: ObserveQuery,
  command: Pick<HostCommand, 'name' | 'line' | 'signal'>,
): Promise<CommandDone> {
  const { base_sha } = await see(location, { branch: null, base });
  if (!(await isContained(location.scratch, sha, base_sha)))
    throw failure('commit_missing', `${sha} is not in ${base} at ${location.remote.name}`);
  const tree = await checkOut(location, sha);
  const told = { TICKET: ticket, SHA: sha, BASE: base };
  return runHostCommand(location, { ...command, tree, told });
}
