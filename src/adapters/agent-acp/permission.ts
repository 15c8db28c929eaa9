import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Part } from './kind.ts';

/** A tool call for which the agent asks permission. */
export interface ToolRequest {
  readonly kind: ToolKind | null;
  /** Every file that it names may be written. */
  readonly inside: boolean;
  /** It names only the result file. */
  readonly result_only: boolean;
}

const READING_TOOLS: readonly ToolKind[] = ['read', 'search', 'think'];
const EDITS: readonly ToolKind[] = ['edit', 'delete', 'move'];

/**
 * Whether the profile allows the call. A read-only worker may read, and edit only its result. A writing worker may do
 * everything, but edit only its tree and its result.
 */
export function isAllowed(profile: Part['profile'], { kind, inside, result_only }: ToolRequest): boolean {
  if (kind !== null && READING_TOOLS.includes(kind)) return true;
  const edits = kind !== null && EDITS.includes(kind);
  if (profile === 'read_only') return edits && result_only;
  return !edits || inside;
}

/**
 * Prefers "once" to "always", because "always" changes how some agents behave from then on. A read-only worker never
 * gets `allow_always`.
 */
const WANTED = {
  yes: { read_only: ['allow_once'], writes: ['allow_once', 'allow_always'] },
  no: { read_only: ['reject_once', 'reject_always'], writes: ['reject_once', 'reject_always'] },
} as const satisfies Record<string, Record<Part['profile'], readonly PermissionOptionKind[]>>;

/** The agent's own option for our answer. It is found by its kind, because ids and order differ between agents. */
export function chooseOption(
  options: readonly PermissionOption[],
  profile: Part['profile'],
  allowed: boolean,
): RequestPermissionOutcome {
  const wanted: readonly PermissionOptionKind[] = WANTED[allowed ? 'yes' : 'no'][profile];
  const option = wanted
    .map((kind) => options.find((one) => one.kind === kind))
    .find((one) => one !== undefined);
  return option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' };
}

/** Limits for the files that are read and written for the agent. */
export interface Confines {
  readonly tree: string;
  readonly result_file: string;
  readonly writes: boolean;
}

/** The real path of a file that the agent names; null if it may not read that file. */
export async function readable(confines: Confines, file: string): Promise<string | null> {
  const location = await realLocation(resolve(confines.tree, file));
  if (location === null) return null;
  return (await inTree(confines, location)) || (await isResult(confines, location)) ? location : null;
}

/**
 * The same for writing. Git's own files are never written for an agent, because a hook or a setting there is a command.
 */
export async function writable(confines: Confines, file: string): Promise<string | null> {
  const location = await realLocation(resolve(confines.tree, file));
  if (location === null) return null;
  if (await isResult(confines, location)) return location;
  const inside = confines.writes && (await inTree(confines, location));
  return inside && !location.split(sep).includes('.git') ? location : null;
}

async function inTree({ tree }: Confines, location: string): Promise<boolean> {
  const inside = relative(await realpath(tree), location);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function isResult({ result_file }: Confines, location: string): Promise<boolean> {
  return location === (await realLocation(result_file));
}

/** Resolves every link. Parts that do not exist stay as written. Null for a broken link. */
async function realLocation(file: string): Promise<string | null> {
  const found = await realpath(file).catch(() => null);
  if (found !== null) return found;
  const there = await lstat(file).catch(() => null);
  if (there || dirname(file) === file) return null;
  const folder = await realLocation(dirname(file));
  return folder === null ? null : join(folder, basename(file));
}
