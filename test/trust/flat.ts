/** White space as one space: lines are broken by the width of the terminal. */
export function flat(text: string): string {
  return text.replace(/\s+/g, ' ');
}
