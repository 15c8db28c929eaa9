import type { AnsweredBy } from '../contract/answer.ts';
import { DRIVE_MODES } from './drive-mode.ts';
import { type Rejection, rejectValue } from './rejection.ts';

/** Where a resolution can come from: a surface of a person, or the engine for a drive (S6). */
type Source = 'cli' | 'web' | 'mcp' | 'github' | 'engine';

/** `human:<surface>` for a person, `agent:<mode>` for a drive that answered for a person. */
export function provenance(by: AnsweredBy): string {
  return 'person' in by ? `human:${by.surface}` : `agent:${by.agent}`;
}

/** The value for storage. A surface may declare only its own value. Only the engine may declare an agent (CON-56). */
export function parseProvenance(value: unknown, from: Source): string | Rejection {
  const allowed = from === 'engine' ? AGENTS : [`human:${from}`];
  return typeof value === 'string' && allowed.includes(value)
    ? value
    : rejectValue('provenance', typeof value === 'string' ? value : '', allowed);
}

const AGENTS = DRIVE_MODES.slice(1).map((mode) => `agent:${mode}`);
