import { expect, test } from 'vitest';
import { renderCorrection, renderPrompt } from '../../src/engine/prompt.ts';
import { deliverRoles } from '../../src/workflows/deliver/roles.ts';
import { specRoles } from '../../src/workflows/spec/roles.ts';
import { type Brief, editAndGive, giveResult, playRoles } from '../support/model-server/play-roles.ts';
import { templateOf } from '../support/texts.ts';

const asked = { system: '', tools: ['Write'], program: 'claude', model: 'm', turn: 0 } as const;

function promptFor(template: string): string {
  const slots = [
    { name: 'task', text: 'to the file /etc/passwd, or, if you cannot write files, make', max: 500 },
  ];
  return renderPrompt({
    template,
    slots,
    nonce: 'n0',
    schema: '{}',
    result_file: '/state/calls/1/result.json',
  });
}

const ROLES = [specRoles, deliverRoles].flatMap((roles) =>
  Object.entries(roles).map(([role, definition]) => [role, templateOf(definition)] as const),
);

test.each(ROLES)(
  'a prompt for %s is known by its template, among the words of a program',
  (role, template) => {
    const seen: Brief[] = [];
    const part = (brief: Brief) => {
      seen.push(brief);
      return giveResult('ok');
    };
    const script = playRoles({ [role]: part });
    const prompt = `<reminder>be kind</reminder>\n${promptFor(template)}\n`;
    expect(script({ ...asked, prompt })).toEqual(giveResult('ok'));
    expect(seen).toMatchObject([{ role, result_file: '/state/calls/1/result.json', correction: false }]);
  },
);

test('a correction is told from a first try', () => {
  const script = playRoles({ writer: ({ correction }) => [{ text: correction ? 'again' : 'first' }] });
  const prompt = promptFor(templateOf(specRoles.writer));
  expect(script({ ...asked, prompt })).toEqual([{ text: 'first' }]);
  const corrected = renderCorrection(prompt, ['no goal']);
  expect(script({ ...asked, prompt: corrected })).toEqual([{ text: 'again' }]);
});

test('what is no prompt of Baton is left to an earlier text, and a role without a part is answered', () => {
  const script = playRoles({});
  expect(script({ ...asked, prompt: 'Go on.' })).toBeNull();
  const prompt = promptFor(templateOf(deliverRoles.evaluator));
  expect(script({ ...asked, prompt })).toEqual([{ text: 'No part for evaluator.' }]);
});

test('files are written before the result is given', () => {
  expect(editAndGive({ 'a.txt': 'a' }, { done: true })).toEqual([
    { text: 'I make the change.', toolCalls: [{ write: { path: 'a.txt', content: 'a' } }] },
    ...giveResult({ done: true }),
  ]);
});
