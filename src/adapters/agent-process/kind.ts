import type { Capabilities } from '../../contract/agent-found.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { Tier } from '../../contract/step.ts';
import type { Program } from './program.ts';

/** What a program of this kind is made with. */
export interface Setup {
  /** Its name in baton.yaml; the kind's own where there is no entry. */
  readonly name: string;
  readonly settings: AgentSettings;
  /** Our own environment; the kind picks what it declares. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Starts a worker of ours by name, for kinds that need one: `[node, acp-worker.cjs]`. */
  readonly worker: (name: 'acp' | 'command') => readonly string[];
}

/** One row of the table of agents: discovery, the README's matrix and the adapters all read it. */
export interface AgentKind {
  /** The product's name, as its makers write it. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** Program and first arguments; null where baton.yaml must name one. */
  readonly command: readonly string[] | null;
  /** Arguments that print its version. */
  readonly version: readonly string[];
  /** Environment variables of its own it may see: keys, addresses, folders. */
  readonly env: readonly string[];
  /** Folders and files below the home folder it keeps its login and sessions in. */
  readonly folders: readonly string[];
  /** Its models for the tiers; none: its own default. */
  readonly models: Partial<Readonly<Record<Tier, string>>>;
  /** Signed in, as far as files and variables tell without spending; null: cannot be told. */
  readonly signedIn: (env: Setup['env'], home: string) => boolean | null;
  readonly program: (setup: Setup) => Program;
}
