import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Part } from './part.ts';

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
