import type { Holder } from '../contract/run.ts';

export interface SpawnSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Value of BATON_CALL in the child's environment. */
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Files the child writes to; never pipes, so that it survives us and we find its words. */
  readonly stdout: string;
  readonly stderr: string;
  /** Ends the waiting for a free place, not the process. */
  readonly signal?: AbortSignal;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Running {
  readonly pid: number;
  /** Complete lines of stdout as they come, ending when the process has ended and the file is read. */
  lines(): AsyncIterable<string>;
  /** Ctrl-C to the process and those of its group: an orderly end where the program knows one. */
  interrupt(): void;
  readonly exit: Promise<Exit>;
}

/** What a sweep found: what it ended, with the names of their programs, and what would not go. */
export interface Swept {
  readonly ended: number[];
  readonly left: number[];
  readonly programs: string[];
}

export interface Processes {
  self(): Holder;
  isAlive(holder: Holder): boolean;
  spawn(spec: SpawnSpec): Promise<Running>;
  /**
   * Ends every process that carries a mark starting with `mark`, its descendants, and any whose working directory
   * lies in `tree`; waits for their end. Returns what was ended and what would not go.
   */
  sweep(mark: string, tree?: string): Promise<Swept>;
  /** The mark of this process or of the nearest ancestor that carries one; such a process never answers a gate. */
  markedAncestor(): string | null;
}
