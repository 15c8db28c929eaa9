/** One item. Later lines are indented, so a worker's text cannot begin an item or a heading. */
export function bullet(text: string): string {
  return `- ${text
    .split('\n')
    .map((line, n) => (n === 0 || line === '' ? line : `  ${line}`))
    .join('\n')}`;
}

/** A list, or `none` if it is empty. */
export function bullets(texts: readonly string[], none: string): string {
  return texts.length === 0 ? none : texts.map(bullet).join('\n');
}

/** Running text of a worker: a line that looks like a heading is escaped. */
export function plain(text: string): string {
  return text.replace(/^\\*#/gm, '\\$&');
}

export function page(sections: readonly string[]): string {
  return `${sections.join('\n\n')}\n`;
}

export function location(file: string | null, line: number | null): string {
  if (file === null) return '';
  return line === null ? `${file} ` : `${file}:${line} `;
}
