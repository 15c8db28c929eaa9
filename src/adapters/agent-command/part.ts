/** Input of the worker of a plain command. */
export interface Part {
  readonly argv: readonly string[];
  readonly prompt: 'stdin' | 'argument';
}
