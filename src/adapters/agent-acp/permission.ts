import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Part } from './part.ts';

/** A tool call the agent asks about. */
export interface Asked {
  readonly kind: ToolKind | null;
  /** All files it names may be written. */
  readonly inside: boolean;
  /** It names nothing but the result file. */
  readonly result_only: boolean;
}

const LOOKS: readonly ToolKind[] = ['read', 'search', 'think'];
const EDITS: readonly ToolKind[] = ['edit', 'delete', 'move'];

/** Whether the profile allows it. A reader looks, and may write its result; a writer does all, its edits in the tree. */
export function isAllowed(profile: Part['profile'], { kind, inside, result_only }: Asked): boolean {
  if (kind !== null && LOOKS.includes(kind)) return true;
  const edits = kind !== null && EDITS.includes(kind);
  if (profile === 'read_only') return edits && result_only;
  return !edits || inside;
}

/** Once before always: "always" changes how some agents behave from then on, so a reader is never given it. */
const WANTED = {
  yes: { read_only: ['allow_once'], writes: ['allow_once', 'allow_always'] },
  no: { read_only: ['reject_once', 'reject_always'], writes: ['reject_once', 'reject_always'] },
} as const satisfies Record<string, Record<Part['profile'], readonly PermissionOptionKind[]>>;

/** The agent's own option for our answer, found by its kind: ids and order are every agent's own. */
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
