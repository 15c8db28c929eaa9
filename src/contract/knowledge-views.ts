import type { RunId } from './ids.ts';
import type { StoredKnowledge } from './knowledge.ts';
import type { SettingChange } from './setting.ts';
import type { ProjectMode, TrustLevel } from './ticket.ts';

/** An entry with the entries and tickets linked to it. */
export interface ShownDecision {
  readonly entry: StoredKnowledge;
  /** Entries that this entry replaced. */
  readonly supersedes: readonly string[];
  /** Tickets that depend on it. */
  readonly tickets: readonly RunId[];
}

export interface SupersededDecision {
  readonly entry: StoredKnowledge;
  readonly successor: StoredKnowledge | null;
  /** Live tickets that were notified. */
  readonly told: readonly RunId[];
}

/** `raw` is the stored value: null if it was never set. An unknown value counts as cautious (S1). */
export interface Trust {
  readonly level: TrustLevel;
  readonly raw: string | null;
}

export interface Project {
  readonly mode: ProjectMode;
  /** Prefix of the ids of tickets. */
  readonly key: string;
  readonly agent_trust: { readonly level: TrustLevel; readonly overrides: Readonly<Record<string, never>> };
}

/** `change` is null if the setting already had this value. */
export interface Changed {
  readonly ok: true;
  readonly change: SettingChange | null;
}
