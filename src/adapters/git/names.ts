/**
 * Names of files as git returns them are bytes. They are stored here as latin1 strings, so that a name that is not
 * UTF-8 does not become another name. People and results see the decoded form.
 */
export type ByteName = string;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The name as text. `exact` is false if the bytes are not UTF-8 and the text is only an approximation. */
export function decodeName(name: ByteName): { readonly path: string; readonly exact: boolean } {
  const bytes = Buffer.from(name, 'latin1');
  try {
    return { path: decoder.decode(bytes), exact: true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { path: bytes.toString('utf8'), exact: false };
  }
}

/** The parts of a list that ends every entry with a zero byte. */
export function zeroList(text: string): string[] {
  return text.split('\0').filter((line) => line !== '');
}

/** Names as a command reads them from its input, each ended by a zero byte. */
export function zeroText(names: readonly ByteName[]): string {
  return names.map((name) => `${name}\0`).join('');
}

/** One line of `git diff-tree --raw`. A mode of zeros means that there is no entry. */
interface RawChange {
  readonly oldMode: string;
  readonly mode: string;
  readonly oldId: string;
  readonly id: string;
  readonly kind: string;
  readonly name: ByteName;
}

/** Reads the output of `git diff-tree -r -z --no-renames --raw`. */
export function rawChanges(text: string): RawChange[] {
  const fields = zeroList(text);
  return fields.flatMap((name, n) => {
    if (n % 2 === 0) return [];
    const [oldMode = '', mode = '', oldId = '', id = '', kind = ''] = (fields[n - 1] ?? '')
      .slice(1)
      .split(' ');
    return [{ oldMode, mode, oldId, id, kind, name }];
  });
}

/** Every folder above a name, the nearest last. */
export function foldersAbove(name: ByteName): ByteName[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'));
}

/** One line of `git ls-tree`: mode, type and id, and the name after a tab. `git ls-files -s` has no type. */
export function treeEntry(line: string): { mode: string; type: string; id: string; name: ByteName } {
  const tab = line.indexOf('\t');
  const [mode = '', type = '', id = ''] = line.slice(0, tab).split(' ');
  return { mode, type, id, name: line.slice(tab + 1) };
}

/** Files and submodules of a list of entries as git writes them: mode first, the name after a tab. */
export function splitLinks(entries: readonly string[]): { files: ByteName[]; links: ByteName[] } {
  const isLink = (line: string) => line.startsWith('160000 ');
  return {
    files: entries.filter((line) => !isLink(line)).map((line) => treeEntry(line).name),
    links: entries.filter(isLink).map((line) => treeEntry(line).name),
  };
}

/** A name as git's bytes, in the form the entries have. */
export function bytes(name: string): ByteName {
  return Buffer.from(name, 'utf8').toString('latin1');
}
