import { expect, test } from 'vitest';
import { argumentsOf } from '../../support/message-arguments.ts';
import { texts } from './texts.ts';

const ids = Object.keys(texts.en) as (keyof typeof texts.en)[];

test('every message is of conduct, and Korean has the same ids', () => {
  expect(ids.filter((id) => !id.startsWith('conduct.'))).toEqual([]);
  expect(Object.keys(texts.ko).sort()).toEqual([...ids].sort());
});

test('a translation takes the same arguments and says something of its own', () => {
  const args = (lang: 'en' | 'ko') => ids.map((id) => [id, argumentsOf(texts[lang][id])]);
  expect(args('ko')).toEqual(args('en'));
  const untranslated = ids.filter((id) => texts.ko[id] === texts.en[id]);
  expect(untranslated).toEqual(['conduct.end.child']);
});
