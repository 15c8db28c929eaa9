/** At most this many characters. Never splits a surrogate pair. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** The same for display. A cut text ends with an ellipsis. */
export function shortText(text: string, most: number): string {
  return text.length > most ? `${cutText(text, most - 1)}…` : text;
}
