/** The id of a message in a comparison, a call or a chain: `text.msg === ...`, `test(msg)`, `msg.endsWith(...)`. */
const MATCHED = /\.msg\b|\bmsg\s*[!=]==?|\bmsg\??\.|[([](?:\w+\.)?msg\)|\bswitch \(msg\b/;

/** A surface passes messages on. What it does depends on fields of the contract, never on the id of a message. */
export function matchesMessageId(file: string, text: string): boolean {
  return file.startsWith('src/surfaces/') && MATCHED.test(text);
}
