import { expect, test } from 'vitest';
import { matchesMessageId } from '../../scripts/message-ids.ts';

test.each([
  ["return typeof why === 'object' && why.msg === 'deliver.halt.style';", true],
  ["if (msg !== 'deliver.halt.style') return;", true],
  ['return SAID.test(text.msg) ? [] : [t(text)];', true],
  ['const hidden = HIDDEN.includes(msg);', true],
  ["msg.endsWith('.to_read')", true],
  ['switch (msg) {', true],
  ["reject('ambiguous', args, { msg: 'deliver.which_run' })", false],
  ['const { msg, args = {} } = message;', false],
  ["return wait?.kind === 'command' ? wait.idle : undefined;", false],
])('a surface may not act on the id of a message: %s', (line, refused) => {
  expect(matchesMessageId('src/surfaces/cli/standing.ts', line)).toBe(refused);
  expect(matchesMessageId('src/engine/brief.ts', line)).toBe(false);
});
