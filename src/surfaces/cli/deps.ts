import type { Readable, Writable } from 'node:stream';
import type { AgentFound } from '../../contract/agent-found.ts';
import type { Person } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import type { Gate } from '../../contract/gate.ts';
import type { GateId, RunId } from '../../contract/ids.ts';
import type { Repaired, Traces } from '../../contract/upkeep.ts';
import type { Deciding, PersonPolicy } from '../../engine/judge-person.ts';
import type { Caller } from '../../engine/operation.ts';
import type { Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { WordsFor } from './words.ts';

/** The reason why there is no API: nothing was ever started here, or the folder or its config is refused. */
export type Refusal =
  | { readonly refusal: 'no_store' }
  /** `message` names the thing, the value, the allowed values and the fix. It is shown unchanged. */
  | { readonly refusal: 'refused'; readonly message: string; readonly code?: string };

/** `stream` is opened only for a prompt: touching the real standard input costs start-up time. */
interface CliInput {
  readonly isTTY: boolean;
  stream(): Readable;
}

/** `columns` is read at every use, so that resizing the terminal takes effect. */
export interface CliOutput {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
  stream(): Writable;
}

type ScriptCheck =
  /** `script_text` is the copy that a run stores: the whole script with the files it names. */
  | { readonly ok: true; readonly script_text: string }
  | { readonly ok: false; readonly errors: readonly string[] };

type EnvName = 'LANG' | 'LC_ALL' | 'LC_MESSAGES' | 'NO_COLOR' | 'TERM' | 'USER';

/** A request for proof of a person. */
export interface ProofRequest extends Deciding {
  /** The proof begins before all facts are known, so the person is not asked for anything yet. */
  readonly early?: true;
  /** The code of the driving terminal, as the person typed it. */
  readonly code: string | null;
}

/** Codes of the gates this terminal shows, for answers given in another one. */
export interface ShownCodes {
  show(run: RunId, gate: GateId, digest: string): string;
  hide(gate: GateId): void;
  close(): void;
}

/** Stores which gates this person has seen in full, and in which iteration. Best effort. */
interface SeenGates {
  has(gate: Gate): Promise<boolean>;
  add(gate: Gate): Promise<void>;
  forget(gate: GateId): Promise<void>;
}

/** Everything the command line may touch. The composition passes the real functions, tests pass their own. */
export interface CliDeps {
  readonly version: string;
  /** The folder in which the command was started. */
  readonly folder: string;
  readonly env: Readonly<Partial<Record<EnvName, string>>>;
  /** The user's name on this system, or null if there is none. */
  readonly user: string | null;
  readonly stdin: CliInput;
  readonly stdout: CliOutput;
  readonly stderr: Pick<CliOutput, 'write'>;
  /** Milliseconds, for ages on screen only. */
  now(): number;
  /**
   * Called at most once, and never for `--version` or `--help`. `create` only allows making a store. An existing store
   * is opened the same way for every command.
   */
  openApi(options: { readonly create: boolean; readonly caller: Caller }): Promise<Api | Refusal>;
  /**
   * The refusal for a process that a worker started, because it must not change anything. Null for every other process.
   */
  refuseWorker(policy?: PersonPolicy): Promise<Rejection | null>;
  /** Proof of a person, or a refusal that says how to give one. */
  person(about: ProofRequest | null | Promise<ProofRequest | null>): Promise<Person | Rejection>;
  /** Opened by a command that drives a run and asks its gates here. Null if codes cannot be checked. */
  codes(): Promise<ShownCodes | null>;
  readonly seen: SeenGates;
  /**
   * Replaces a damaged or missing store with the data that can be read or restored. Null if nothing was started here.
   */
  repair(): Promise<Repaired | null>;
  /** Everything Baton left for this repository, and a function that removes it. Null if nothing was started here. */
  traces(): Promise<{ readonly found: Traces; remove(branches: boolean): Promise<void> } | null>;
  /** Names of the operations that workflows bring. */
  operations(): Promise<readonly string[]>;
  /** Agents of this machine and of baton.yaml. It asks programs only for their version, which costs nothing. */
  agents(): Promise<readonly AgentFound[]>;
  /** Warnings for a person before a run starts here: settings without effect, a missing sandbox. */
  warnings(): Promise<readonly Msg[]>;
  /**
   * Writes the person's settings file, for that person alone, unless it exists. `path` is as a person would type it.
   */
  writePersonConfig(
    text: string,
  ): Promise<{ readonly result: 'written' | 'exists' | 'failed'; readonly path: string }>;
  /** Loads the reader of the command line's own texts. Not called for `--version`. */
  words(): Promise<WordsFor>;
  /** Translates messages when no API is open. */
  translator(lang: string): Promise<Translate>;
  /** The path of the person's settings file, as a person would type it. */
  personConfig(): Promise<string>;
  validateScript(text: string, file: string): Promise<ScriptCheck>;
  /** Converts a path typed in this folder into one relative to the top of the repository. */
  fromRoot(path: string): Promise<string>;
  /** Null if the file does not exist or cannot be read. */
  readFile(path: string): Promise<string | null>;
  /** Writes `baton.yaml` unless it exists. `path` is as a person would type it. */
  writeConfig(text: string): Promise<{ readonly ok: boolean; readonly path: string }>;
  /** SIGINT, SIGTERM and SIGHUP. Returns the unsubscribe function. */
  onInterrupt(handler: () => void): () => void;
  /** Stores the stack trace of our own bug in a file and returns its path. Null if that fails too. */
  storeTrace(error: unknown): Promise<string | null>;
  demo?(): Promise<number>;
}
