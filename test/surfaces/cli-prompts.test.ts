import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import {
  answeredEvent,
  createScriptedApi,
  ENDED,
  formGate,
  gate,
  rest,
  type Script,
  SPEC_DOC,
} from '../support/scripted-api.ts';
import { CTRL_C, ENTER, reply, sit } from '../support/sit.ts';

const DOWN = '\u001b[B';

describe('choosing at a terminal', () => {
  test('Enter takes the marked option', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]).toMatchObject({ option: 'approve', digest: gate().digest, by: 'Ada' });
    expect(terminal.out()).toContain('sp-3aa ended: approved');
  });

  test('arrows move the mark', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', DOWN);
    await reply(terminal, '> 2  Modify', DOWN);
    await reply(terminal, '> 3  Stop', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.option).toBe('stop');
  });

  test('a typo followed by Enter answers nothing; the list comes again', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `aprove${ENTER}`);
    await terminal.until('"aprove": not one of the options. Nothing was answered. did you mean "approve"?');
    expect(api.answers).toEqual([]);
    await reply(terminal, '> 1  Approve', `3${ENTER}`);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.option).toBe('stop');
  });

  test('what is said about a typo is broken at a space, not in a word', async () => {
    const api = createScriptedApi();
    const env = { TERM: 'xterm', NO_COLOR: '1' };
    const terminal = createTerminal({ api, tty: true, env, columns: 40 });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `aprove${ENTER}`);
    await reply(terminal, 'not one of the options.', CTRL_C);
    await exit;
    expect(terminal.out()).toContain('options.\nNothing was answered. did you mean\n"approve"?\n');
  });

  test('keys pressed before the question was shown do not answer it', async () => {
    const { api, terminal } = sit();
    terminal.type(ENTER);
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `stop${ENTER}`);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers.map(({ option }) => option)).toEqual(['stop']);
  });

  test('an option that needs a text asks for it and keeps it as a draft', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `modify${ENTER}`);
    await reply(terminal, 'type your text', `name the zone${ENTER}`);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]).toMatchObject({ option: 'modify', text: 'name the zone' });
    expect(api.drafts).toContainEqual({ text: 'name the zone' });
  });

  test('Enter alone at a needed text goes back to the options', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `modify${ENTER}`);
    await reply(terminal, 'type your text', ENTER);
    await reply(terminal, '> 1  Approve', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers.map(({ option }) => option)).toEqual(['approve']);
  });

  test('a pasted text keeps its lines and does not answer by itself', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', '\u001b[200~first change\rsecond change\u001b[201~');
    await terminal.until('first change↵second change');
    expect(api.answers).toEqual([]);
    terminal.type(ENTER);
    await reply(terminal, 'Send this as Modify?', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]).toMatchObject({ option: 'modify', text: 'first change\nsecond change' });
  });

  test('v shows the document and comes back to the options', async () => {
    const { terminal } = sit({ artefacts: [SPEC_DOC] });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, 'v  view spec', `v${ENTER}`);
    await terminal.until('# Spec\n\nGoal.');
    await reply(terminal, '> 1  Approve', ENTER);
    expect(await exit).toBe(EXIT.done);
  });

  test('a hard gate wants its word typed and takes no other', async () => {
    const { api, terminal } = sit({
      stations: [rest({ gate: gate({ class: 'hard', typed: 'rename' }) }), ENDED],
    });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', ENTER);
    await reply(terminal, 'Type rename to confirm.', `yes${ENTER}`);
    await reply(terminal, '"yes" is not "rename"', `rename${ENTER}`);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.typed).toBe('rename');
  });

  test('baton answer with an option that lacks something shows the gate and asks for just that', async () => {
    const hard = sit({ stations: [rest({ gate: gate({ class: 'hard', typed: 'rename' }) }), ENDED] });
    const typing = hard.terminal.run('answer', 'sp-3aa', 'stop');
    await reply(hard.terminal, 'Type rename to confirm.', `rename${ENTER}`);
    expect(await typing).toBe(EXIT.done);
    expect(hard.api.answers[0]).toMatchObject({ option: 'stop', typed: 'rename' });
    expect(hard.terminal.out()).not.toContain('> 1');

    const { api, terminal } = sit();
    const saying = terminal.run('answer', 'sp-3aa', 'modify');
    await reply(terminal, 'Modify: type your text.', ENTER);
    await reply(terminal, '> 1  Approve', `2${ENTER}`);
    await reply(terminal, 'Modify: type your text.', `name the zone${ENTER}`);
    expect(await saying).toBe(EXIT.done);
    expect(api.answers.map(({ option, text }) => [option, text])).toEqual([['modify', 'name the zone']]);
  });

  test('the command that is shown for a hard gate opens it, where the word is typed', async () => {
    const { terminal } = sit({ stations: [rest({ gate: gate({ class: 'hard', typed: 'rename' }) }), ENDED] });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(terminal.out()).toMatch(/answer it +baton answer sp-3aa\.g1\n/);
  });

  test('where nobody can be proven to be a person nothing is answered, exit 3', async () => {
    const api = createScriptedApi();
    const terminal = createTerminal({
      api,
      tty: true,
      person: reject('not_a_person'),
      env: { TERM: 'xterm' },
    });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, 'Approve', ENTER);
    expect(await exit).toBe(EXIT.refused);
    expect(api.answers).toEqual([]);
  });

  test('a dumb terminal gets no escape codes, and an empty line answers nothing there', async () => {
    const { api, terminal } = sit({}, { TERM: 'dumb', NO_COLOR: '' });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '  1  Approve', '\n');
    await terminal.until('Nothing chosen. The gate stays open.');
    await reply(terminal, '  1  Approve', 'approve\n');
    expect(await exit).toBe(EXIT.done);
    expect(api.answers).toHaveLength(1);
    expect(terminal.out()).not.toContain('\u001b');
  });
});

describe('a form at a terminal', () => {
  const form: Script = { stations: [rest({ gate: formGate() }), ENDED] };

  test('asks one question after the other, keeps each answer at once, and sends them after a look', async () => {
    const { api, terminal } = sit(form);
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '1  Which photo formats?   decides the reader', `JPEG${ENTER}`);
    await reply(terminal, '2  What if two photos share a second?', ENTER);
    expect(api.drafts[0]).toEqual({ q1: 'JPEG' });
    await reply(terminal, '1 answered, 1 left open.', `1${ENTER}`);
    await reply(terminal, '1  Which photo formats?', ` and HEIC${ENTER}`);
    await reply(terminal, '1 answered, 1 left open.', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]).toMatchObject({ option: 'answer', fields: { q1: 'JPEG and HEIC', q2: null } });
  });

  test('an answer typed before the questions are asked is told where it belongs', async () => {
    const { api, terminal } = sit(form);
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', `Only my holiday photos${ENTER}`);
    await terminal.until('"Answer" first. The questions then follow one by one.');
    terminal.type(CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.answers).toEqual([]);
  });

  test('Ctrl-C in the middle loses no finished field and not the one being typed, exit 4', async () => {
    const { api, terminal } = sit(form);
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '1  Which photo formats?', `JPEG${ENTER}`);
    await reply(terminal, '2  What if two photos share a second?', 'add a cou');
    await terminal.until('add a cou');
    terminal.type(CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.drafts.at(-1)).toEqual({ q1: 'JPEG', q2: 'add a cou' });
    expect(api.answers).toEqual([]);
    expect(terminal.out()).toContain('sp-3aa was left at: Approval (waiting for you). Nothing is lost.');
    expect(terminal.out()).toContain('baton answer sp-3aa.g1');
    expect(api.calls.map(([name]) => name)).toContain('close');
  });

  test('what was typed before is there again on return', async () => {
    const { api, terminal } = sit({ ...form, draft: { q1: 'JPEG', q2: 'add a cou' } });
    const exit = terminal.run('answer', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '1  Which photo formats?', ENTER);
    await reply(terminal, '2  What if two photos share a second?', `nter${ENTER}`);
    await reply(terminal, '2 answered, 0 left open.', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.fields).toEqual({ q1: 'JPEG', q2: 'add a counter' });
  });

  test('each question says what Enter does', async () => {
    const { api, terminal } = sit({ ...form, draft: { q1: 'JPEG' } });
    const exit = terminal.run('answer', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await terminal.until('1  Which photo formats?');
    await reply(terminal, 'Enter keeps your answer\n', ENTER);
    await terminal.until('2  What if two photos share a second?');
    await reply(terminal, 'Enter leaves it open\n', ENTER);
    await reply(terminal, '1 answered, 1 left open.', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.fields).toEqual({ q1: 'JPEG', q2: null });
  });

  test('a signal keeps the text being typed too', async () => {
    const { api, terminal } = sit(form);
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '1  Which photo formats?', 'HEI');
    await terminal.until('HEI');
    terminal.interrupt();
    expect(await exit).toBe(EXIT.waiting);
    expect(api.drafts.at(-1)).toEqual({ q1: 'HEI' });
  });

  test('a ready-made answer can be named by its number and is stored by its key', async () => {
    const choices = [
      { key: 'jpeg', label: 'JPEG only' },
      { key: 'unknown', label: 'not sure' },
    ];
    const fields = [{ id: 'q1', text: 'Which photo formats?', choices, required: true }];
    const { api, terminal } = sit({ stations: [rest({ gate: formGate({ fields }) }), ENDED] });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '2) not sure', ENTER);
    await reply(terminal, 'This question needs an answer.', `2${ENTER}`);
    await reply(terminal, '1 answered, 0 left open.', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.fields).toEqual({ q1: 'unknown' });
  });
});

describe('somebody else answers while the prompt is open', () => {
  test('the prompt goes away, says who and what, and the run goes on', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', 'half a th');
    await terminal.until('half a th');
    api.overtake(answeredEvent({ option: 'approve', person: 'Bob' }));
    expect(await exit).toBe(EXIT.done);
    expect(terminal.out()).toContain(
      'answered by Bob: Approve\nYour text was not sent. You can copy it from here:\n  half a th\n',
    );
    expect(api.answers).toEqual([]);
  });

  test('every unsent answer of a form is shown', async () => {
    const { api, terminal } = sit({ stations: [rest({ gate: formGate() }), ENDED] });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Answer', ENTER);
    await reply(terminal, '1  Which photo formats?', `JPEG${ENTER}`);
    await reply(terminal, '2  What if two photos share a second?', 'add a cou');
    await terminal.until('add a cou');
    api.overtake(answeredEvent({ option: 'skip', person: 'Bob' }));
    expect(await exit).toBe(EXIT.done);
    expect(terminal.out()).toContain('You can copy it from here:\n  JPEG\n  add a cou\n');
  });

  test('nothing is said about unsent text where there is none', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', DOWN);
    await reply(terminal, '> 2  Modify', '');
    api.overtake(answeredEvent({ option: 'approve', person: 'Bob' }));
    expect(await exit).toBe(EXIT.done);
    expect(terminal.out()).not.toContain('not sent');
  });

  test('a text that came too late is shown and not lost', async () => {
    const { terminal } = sit({ refuse: { answer: reject('gate_closed', { by: 'Bob' }) } });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `name the zone${ENTER}`);
    await reply(terminal, 'Send this as Modify?', ENTER);
    await terminal.until('was not sent. You can copy it from here:\n  name the zone\n');
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
  });

  test('an answer that comes too late is told and the run goes on', async () => {
    const { terminal } = sit({ refuse: { answer: reject('gate_closed', { by: 'Bob' }) } });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', ENTER);
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(terminal.err()).toContain('gate_closed Bob');
  });

  test('a gate of a run driven elsewhere can be answered here without taking the run', async () => {
    const refuse = { open: reject('held_elsewhere') };
    const { api, terminal } = sit({ refuse, drivenElsewhere: 'host:17' });
    const exit = terminal.run('answer', 'sp-3aa');
    await reply(terminal, '> 1  Approve', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers).toHaveLength(1);
    expect(api.calls.map(([name]) => name)).not.toContain('advance');
  });
});

test('--no-input rests at the gate even at a terminal', async () => {
  const { terminal } = sit();
  expect(await terminal.run('spec', 'A tool', '--no-input')).toBe(EXIT.waiting);
  expect(terminal.out()).toContain('baton answer sp-3aa.g1 approve\n');
});

test('Ctrl-C at a gate is exit 4 and prints how to go on', async () => {
  const { api, terminal } = sit();
  const exit = terminal.run('spec', 'A tool');
  await reply(terminal, '> 1  Approve', CTRL_C);
  expect(await exit).toBe(EXIT.waiting);
  expect(terminal.out()).toContain(
    '  answer it     baton answer sp-3aa.g1 approve\n  or continue   baton resume sp-3aa\n',
  );
  expect(api.calls.at(-1)).toEqual(['close api']);
});
