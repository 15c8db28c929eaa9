import type { Readable, Writable } from 'node:stream';
import type { AgentFound } from '../../contract/agent-found.ts';
import type { Person } from '../../contract/answer.ts';
import type { Rejection } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';

/** Why there is no API: nothing was ever started here, or the place or its config is refused. */
export type Refusal =
  | { readonly refusal: 'no_store' }
  /** `message` names the thing, the value, what is allowed and the fix; it is shown as it is. */
  | { readonly refusal: 'refused'; readonly message: string; readonly code?: string };

/** `stream` is opened only for a prompt: touching the real standard input costs start-up time. */
interface CliInput {
  readonly isTTY: boolean;
  stream(): Readable;
}

/** `columns` is read at every use, so that a resized terminal counts. */
export interface CliOutput {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
  stream(): Writable;
}

type ScoreCheck =
  /** `frozen` is what a run keeps of the score: whole, with the files it names. */
  { readonly ok: true; readonly frozen: string } | { readonly ok: false; readonly errors: readonly string[] };

type EnvName = 'LANG' | 'LC_ALL' | 'LC_MESSAGES' | 'NO_COLOR' | 'TERM' | 'USER';

/** All the command line may touch. The composition gives the real ones, tests their own. */
export interface CliDeps {
  readonly version: string;
  /** The folder the command was given in. */
  readonly folder: string;
  readonly env: Readonly<Partial<Record<EnvName, string>>>;
  /** The system's name for who runs this; null when it has none. */
  readonly user: string | null;
  readonly stdin: CliInput;
  readonly stdout: CliOutput;
  readonly stderr: Pick<CliOutput, 'write'>;
  /** Milliseconds, for ages on screen only. */
  now(): number;
  /**
   * Called at most once, and never for `--version` or `--help`. `create` only says whether a store may be made; an
   * existing one is opened the same way for every command.
   */
  openApi(options: { readonly create: boolean }): Promise<Api | Refusal>;
  /** Why this process may change nothing: it was started by a worker. Null for everybody else. */
  refuseMarked(): Promise<Rejection | null>;
  /** Proof of a person: a controlling terminal and no process mark, or a refusal that says how to get there. */
  person(): Promise<Person | Rejection>;
  /** Agents of this machine and of baton.yaml; asks programs for their version and spends nothing. */
  agents(): Promise<readonly AgentFound[]>;
  validateScore(text: string, file: string): Promise<ScoreCheck>;
  /** A path typed in this folder, as seen from the top of the repository. */
  fromRoot(path: string): Promise<string>;
  /** Null when there is no such readable file. */
  readFile(path: string): Promise<string | null>;
  /** Writes `baton.yaml` unless it exists. `path` is as a person would type it. */
  writeConfig(text: string): Promise<{ readonly ok: boolean; readonly path: string }>;
  /** SIGINT, SIGTERM and SIGHUP. Returns the unsubscribe function. */
  onInterrupt(handler: () => void): () => void;
  /** Keeps the stack of our own bug in a file and gives its path; null when even that fails. */
  keepTrace(error: unknown): Promise<string | null>;
  demo?(): Promise<number>;
}
