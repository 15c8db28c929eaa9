import { describe, expect, test } from 'vitest';
import { parseTicketId, ticketKey } from '../../src/engine/ticket-id.ts';
import { translator } from '../support/texts.ts';

const UUID = '0b2f7a3c-1d4e-8f50-8a9b-0c1d2e3f4a5b';
const id = (text: string) => ({ kind: 'id', id: text });

describe('CON-02 a ticket id', () => {
  test.each([
    ['1', id('APP-1')],
    ['12', id('APP-12')],
    ['007', id('APP-7')],
    ['2147483647', id('APP-2147483647')],
    ['APP-12', id('APP-12')],
    ['app-12', id('APP-12')],
    ['aPp-2147483647', id('APP-2147483647')],
    ['  APP-3 ', id('APP-3')],
    [UUID, { kind: 'uuid', uuid: UUID }],
    [UUID.toUpperCase(), { kind: 'uuid', uuid: UUID }],
  ])('may be %j', (text, expected) => {
    expect(parseTicketId(text, 'APP')).toEqual(expected);
  });

  test.each([
    '0',
    '00',
    'APP-0',
    '-1',
    'APP--1',
    '2147483648',
    'APP-2147483648',
    '99999999999999999999',
    '1'.repeat(400),
    '',
    '   ',
    'APP',
    'APP-',
    '-',
    'APP-x',
    'APP12',
    'APP-1.5',
    '1.5',
    '1e3',
    '+5',
    '0x10',
    '１２',
    'APP-12-3',
    'APP-12 ; rm',
    UUID.slice(1),
    `${UUID}0`,
    UUID.replaceAll('-', ''),
    'sp-3aa',
  ])('is not %j', (text) => {
    const refused = parseTicketId(text, 'APP');
    expect(refused).toMatchObject({ rejection: 'bad_ticket_id' });
    expect('message' in refused && refused.message.msg).toBe('engine.rejection.bad_ticket_id');
  });

  test.each(['B-12', 'APPS-12', 'AQ-12', 'b-0'])(
    'of a foreign key, %j, is refused with the right one',
    (text) => {
      const refused = parseTicketId(text, 'APP');
      expect(refused).toMatchObject({ rejection: 'bad_ticket_id', message: { args: { key: 'APP' } } });
      if (!('message' in refused)) throw new Error('not refused');
      expect(translator('en')(refused.message)).toContain('The key here is APP');
      expect(translator('ko')(refused.message)).toContain('APP입니다');
    },
  );
});

test('what is allowed is told as numbers are typed', () => {
  const refused = parseTicketId('0', 'B');
  if (!('message' in refused)) throw new Error('not refused');
  expect(translator('en')(refused.message)).toBe(
    '"0" is not a ticket. Give its number (1 to 2147483647), B and the number (such as B-12), or its UUID.',
  );
});

test('a run from before there were keys has the plain one', () => {
  expect([ticketKey({}), ticketKey({ ticket_key: 'APP' })]).toEqual(['B', 'APP']);
});
