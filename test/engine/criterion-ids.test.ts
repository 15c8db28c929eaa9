import { expect, test } from 'vitest';
import { criterionIds } from '../../src/engine/criterion-ids.ts';

test.each([
  [
    'headings and list items',
    '## AC-1: adds\n- AC-2 subtracts\n* **AC-3**: more\n1. `R-10` first',
    ['AC-1', 'AC-2', 'AC-3', 'R-10'],
  ],
  ['task lists and tables', '- [ ] AC-1 open\n- [x] AC-2 done\n| AC-3 | text |', ['AC-1', 'AC-2', 'AC-3']],
  ['each once, in order', '- AC-2\n- AC-1\n- AC-2', ['AC-2', 'AC-1']],
  ['not in running text or code', 'See AC-1.\n```\n- AC-2\n```\nUTF-8 is used.', []],
  ['after code, and a fence that nothing closes', '~~~\n# AC-1\n~~~~\n# AC-2\n```\n# AC-3', ['AC-2', 'AC-3']],
  ['line ends of any kind', '# AC-1\r\n- AC-2\r\n', ['AC-1', 'AC-2']],
  ['nothing', '', []],
])('%s', (_name, text, ids) => {
  expect(criterionIds(text)).toEqual(ids);
});

test.each(['~', '`', '~~~\n', '\n', ' ', '```a\n'])('a very long file of %j is read to its end', (unit) => {
  const file = `${unit.repeat(2_000_000 / unit.length)}\n# AC-1`;
  expect(criterionIds(file)).toEqual(['AC-1']);
});
