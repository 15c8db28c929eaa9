/** What a command cannot do, with its exit code. Thrown anywhere in a command, and printed once by the dispatcher. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly exit: number;
  /** The first line names the thing. The others say what is allowed and what to do. */
  readonly lines: readonly string[];
  /** Further fields of the error with `--json`. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(exit: number, lines: readonly string[], more: Readonly<Record<string, unknown>> = {}) {
    super(lines[0] ?? '');
    this.exit = exit;
    this.lines = lines;
    this.more = more;
  }
}

/** Ends the command with an error. */
export function refuse(
  exit: number,
  lines: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): never {
  throw new Refused(exit, lines, more);
}
