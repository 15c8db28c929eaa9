import { readdirSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { SPOKEN } from '../../src/contract/lang.ts';
import { argumentsOf } from '../support/message-arguments.ts';
import { AREAS, catalogue } from '../support/texts.ts';

const FILES = [...AREAS, 'cli-commands', 'stored'];
const OTHERS = SPOKEN.filter((lang) => lang !== 'en');
/** Names and keys, which are the same in every language. */
const NAMES =
  /\.(mode|model)\.[\w-]+$|^conventions\.doc\.api$|^deliver\.(qa\.title|commit)$|^cli\.(rev|log\.day)$/;

/** Words of a text, apart from its arguments, commands and options. */
const hasWords = (text: string) =>
  /\p{L}/u.test(text.replace(/\{\w+\}|--[\w-]+|\bbaton [a-z]+( show)?/g, ''));

test('each language has a folder with the same files', () => {
  const folders = readdirSync('src/messages', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...SPOKEN].sort());
  const files = FILES.map((area) => `${area}.json`).sort();
  for (const lang of SPOKEN) expect(readdirSync(`src/messages/${lang}`).sort(), lang).toEqual(files);
});

describe.each(FILES)('messages of %s', (area) => {
  const en = catalogue('en', area);
  const ids = Object.keys(en);

  test.each(OTHERS)('%s has the ids of English in the same order, with the same arguments', (lang) => {
    const other = catalogue(lang, area);
    expect(Object.keys(other)).toEqual(ids);
    const differing = ids.filter(
      (id) => argumentsOf(en[id] ?? '').join() !== argumentsOf(other[id] ?? '').join(),
    );
    expect(differing).toEqual([]);
    const untranslated = ids.filter((id) => other[id] === en[id] && hasWords(en[id] ?? ''));
    expect(untranslated.filter((id) => !NAMES.test(id))).toEqual([]);
  });

  test('the first word of an id names its file', () => {
    if (area === 'stored' || area === 'cli-commands') return;
    const own = (id: string) => AREAS.find((one) => id.startsWith(`${one}.`)) ?? 'common';
    expect(ids.filter((id) => own(id) !== area)).toEqual([]);
  });

  test.each(SPOKEN)('every text in %s renders, and keeps what it was given', (lang) => {
    for (const [id, text] of Object.entries(catalogue(lang, area))) {
      const names = argumentsOf(text, true);
      const chosen = Object.fromEntries(argumentsOf(text).map((name) => [name, 2]));
      const values = { ...chosen, ...Object.fromEntries(names.map((name) => [name, `<${name}>`])) };
      const format = new IntlMessageFormat(text, lang, undefined, { ignoreTag: true });
      const rendered = String(format.format(values));
      expect(rendered.trim(), id).not.toBe('');
      const lost = names.filter((name) => !rendered.includes(`<${name}>`));
      if (area === 'engine') expect(lost, id).toEqual([]);
    }
  });
});
