/** What the worker of a plain command is told. */
export interface Part {
  readonly argv: readonly string[];
  readonly prompt: 'stdin' | 'argument';
}
