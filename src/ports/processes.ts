import type { Holder } from '../contract/run.ts';

export interface SpawnSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Value of BATON_CALL in the child's environment. */
  readonly call_id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Files the child writes to. Never pipes: the child survives a crash of Baton, and its output can still be read. */
  readonly stdout: string;
  readonly stderr: string;
  /** Cancels waiting for a free slot, not the process. */
  readonly signal?: AbortSignal;
  /**
   * The sandbox it runs in. Null or absent: no sandbox. Processes still running when the command ends are ended. They
   * are listed in `<stdout>.left` as lines of /proc/<pid>/stat, including the sandbox's first process.
   */
  readonly room?: Room | null;
  /** A command of the person's own, such as a deploy. It gets no process tag and may gain privileges. */
  readonly trusted?: boolean;
}

/**
 * Access of a sandboxed process besides the system's own files, which it can only read. Its working directory is
 * always visible. The rest of the home folder and the state of all runs are not.
 */
export interface Room {
  /** The working directory is a clone that Baton owns. Otherwise its `.git` is read-only. */
  readonly own: boolean;
  /** The process may write in its working directory. */
  readonly writes: boolean;
  /** Program files that it starts. Files installed beside them are visible too. */
  readonly programs: readonly string[];
  /** More files and folders it may read. */
  readonly show: readonly string[];
  /** More folders it may write, if they exist. */
  readonly write: readonly string[];
  readonly network: boolean;
  /** The owner of the package cache it uses. Null: it starts with an empty cache, which is removed when it ends. */
  readonly cache: CacheOwner | null;
}

/**
 * The users that may write a package cache. `agents`: all agents of the repository. `installs`: an install in a tree
 * that no worker has touched. `checks`: every command that executes files of one run's change.
 */
export type CacheOwner =
  | { readonly of: 'agents' | 'installs' }
  | { readonly of: 'checks'; readonly run: string };

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The sandbox failed, not the program. The text is the error of bubblewrap. */
  readonly fault?: string;
}

export interface Running {
  readonly pid: number;
  /** Complete lines of stdout as they arrive. Ends when the process has ended and the file is read. */
  lines(): AsyncIterable<string>;
  /** Sends Ctrl-C to the process group, so that a program that handles it can end cleanly. */
  interrupt(): void;
  readonly exit: Promise<Exit>;
}

/** Result of killing leftover processes: those ended, those that could not be ended, and the program names. */
export interface Leftovers {
  readonly ended: number[];
  readonly left: number[];
  readonly programs: string[];
}

export interface Processes {
  self(): Holder;
  isAlive(holder: Holder): boolean;
  /** A living process of this machine that is stopped (SIGSTOP, Ctrl-Z). It does nothing until it is continued. */
  isStopped(holder: Holder): boolean;
  spawn(spec: SpawnSpec): Promise<Running>;
  /**
   * Ends every process whose call id starts with `call_id` or that has its process tag, with all descendants. It also
   * ends any process with its working directory in `tree`. It waits for their end, and returns those ended and those
   * that
   * could not be ended. `now`: they were already asked to end and get no more time.
   */
  killLeftovers(call_id: string, tree?: string, now?: boolean): Promise<Leftovers>;
  /** The call id of this process or of its nearest ancestor with one. Such a process must never answer a gate. */
  workerAncestor(): string | null;
}
