import type { Person } from '../contract/answer.ts';
import type { RunId } from '../contract/ids.ts';
import type { StoredKnowledge } from '../contract/knowledge.ts';
import type { SettingChange } from '../contract/setting.ts';
import type { DialLevel, ProjectMode } from '../contract/ticket.ts';
import type { Rejection } from '../engine/rejection.ts';

/** An entry with what leads to it and from it. */
export interface ShownDecision {
  readonly entry: StoredKnowledge;
  /** Entries whose place it took. */
  readonly supersedes: readonly string[];
  /** Tickets that rest on it. */
  readonly tickets: readonly RunId[];
}

export interface SupersededDecision {
  readonly entry: StoredKnowledge;
  readonly successor: StoredKnowledge | null;
  /** Live tickets that were told. */
  readonly told: readonly RunId[];
}

/** `raw` is what is stored: null when nobody ever set it, a word nobody knows counts as cautious (S1). */
export interface Trust {
  readonly level: DialLevel;
  readonly raw: string | null;
}

export interface Project {
  readonly mode: ProjectMode;
  /** Begins the ids of tickets. */
  readonly key: string;
  readonly agent_trust: { readonly level: DialLevel; readonly overrides: Readonly<Record<string, never>> };
}

/** `change` is null when it already was so. */
export interface Changed {
  readonly ok: true;
  readonly change: SettingChange | null;
}

/** The decision ledger and the settings of the workspace. Whoever writes has shown to be a person, as for an answer. */
export interface KnowledgeApi {
  /** The fields of CON-94 but the id; a title that is taken is refused. */
  recordDecision(input: unknown, by: Person): Promise<StoredKnowledge | Rejection>;
  /** `{ id }` retires, `{ id, type, title, body, domains }` puts a successor in its place (CON-95). */
  supersedeDecision(input: unknown, by: Person): Promise<SupersededDecision | Rejection>;
  /** The ticket rests on the entry; once more is the same. */
  linkDecision(ticket: string, id: string, by: Person): Promise<ShownDecision | Rejection>;
  /** Parts of a KnowledgeQuery; best matches first where a text is searched. */
  decisions(query: unknown): Promise<readonly StoredKnowledge[] | Rejection>;
  decision(id: string): Promise<ShownDecision | Rejection>;
  /** Entries a ticket rests on. */
  ticketDecisions(ticket: string): Promise<readonly StoredKnowledge[] | Rejection>;
  trust(): Promise<Trust>;
  setTrust(level: string, by: Person): Promise<Changed | Rejection>;
  projectMode(): Promise<ProjectMode>;
  setProjectMode(mode: string, by: Person): Promise<Changed | Rejection>;
  /** Every change there was, oldest first. */
  settingChanges(of: 'trust' | 'mode'): Promise<readonly SettingChange[]>;
  project(): Promise<Project>;
}
