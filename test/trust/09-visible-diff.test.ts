import { expect, test } from 'vitest';
import { changing, SMALL } from '../scenario/deliver-lab.ts';
import { deliverScript } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { TO_COMMIT, typeGates } from './typed-gates.ts';

const newWorld = worldsOfTest();

/** Clears the screen, sets the title, turns text around, hides a word, and returns to the start of the line. */
const DRAWS =
  'HELLO \u001b[2J\u001b]0;owned\u0007 \u202eevil\u2066 a\u200bb\u3164\u00ad\u{e0041}\ufe0f safe\rfake\n';
const SHOWN =
  '+HELLO <U+001B>[2J<U+001B>]0;owned<U+0007> <U+202E>evil<U+2066> a<U+200B>b<U+3164><U+00AD><U+E0041><U+FE0F> safe<U+000D>fake';
const SIGNS = [
  '\u001b[2J',
  '\u001b]',
  '\u0007',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u3164',
  '\u00ad',
  '\u{e0041}',
];
const TASK = ['deliver', 'Greet in capitals', '--mode', 'single', '--model-config', 'balanced'];

/** The signs that reached the terminal. */
function signsIn(sent: string): string[] {
  return [...SIGNS, '\ufe0f', 'safe\rfake'].filter((sign) => sent.includes(sign));
}

test('TRUST-09 a diff cannot draw on the screen, neither at its gate nor by show, and is stored byte for byte', async () => {
  const script = deliverScript(changing([{ path: 'greeting.txt', content: DRAWS }]));
  const world = newWorld({ git: true, files: { ...SMALL, 'script.yaml': script } });
  const views = { ...TO_COMMIT, Commit: ['v2'] };
  const sent = await typeGates(world, [...TASK, '--script', 'script.yaml'], views);
  expect(signsIn(sent)).toEqual([]);
  const unwrapped = sent.replace(/\r?\n\s*/g, '').replaceAll(' ', '');
  expect(unwrapped).toContain(SHOWN.replaceAll(' ', ''));

  const onTerminal = await world.typed('show', 'de', 'diff');
  expect(signsIn(onTerminal.stdout)).toEqual([]);
  expect(onTerminal.stdout).toContain(SHOWN);

  expect((await world.run('show', 'de', 'diff')).stdout).toContain(`+${DRAWS}`);
  const { stdout } = await world.run('show', 'de', 'diff', '--json');
  expect(signsIn(stdout)).toEqual([]);
  expect(JSON.parse(stdout)).toMatchObject({ text: expect.stringContaining(`+${DRAWS}`) });
});

test('TRUST-09 a hidden character in a file name is shown by its code in the list of changes', async () => {
  const named = { path: 'gree\u3164ting\u00ad.txt', content: 'HELLO\n' };
  const script = deliverScript(changing([named]));
  const world = newWorld({ git: true, files: { ...SMALL, 'script.yaml': script } });
  const sent = await typeGates(world, [...TASK, '--script', 'script.yaml'], TO_COMMIT);
  expect(signsIn(sent)).toEqual([]);
  expect(sent).toContain('A gree<U+3164>ting<U+00AD>.txt');
});
