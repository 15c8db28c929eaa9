import { describe, expect, test } from 'vitest';
import { TICKET_GATES } from '../../src/contract/ticket.ts';
import { DRIVE_MODES, parseMode } from '../../src/engine/drive-mode.ts';
import { parseProvenance, provenance } from '../../src/engine/provenance.ts';

describe('CON-56 where a resolution comes from', () => {
  test.each(['cli', 'web', 'mcp', 'github'] as const)(
    'CON-56 a person on %s declares that surface and no other',
    (surface) => {
      const own = provenance({ person: 'Ada', surface, proof: 'login' });
      expect(own).toBe(`human:${surface}`);
      expect(parseProvenance(own, surface)).toBe(own);
      for (const foreign of ['human:cli', 'human:web', 'human:mcp', 'human:github', 'agent:unattended']) {
        if (foreign !== own)
          expect(parseProvenance(foreign, surface)).toMatchObject({ rejection: 'bad_input' });
      }
      expect(parseProvenance(own, 'engine')).toMatchObject({ rejection: 'bad_input' });
    },
  );

  test('CON-56 the engine declares the mode of the drive that answered', () => {
    for (const mode of DRIVE_MODES.slice(1)) {
      const own = provenance({ agent: mode, drive: 'dr-1' });
      expect(parseProvenance(own, 'engine')).toBe(`agent:${mode}`);
    }
  });

  test.each([
    '',
    'human',
    'human:',
    'agent',
    'agent:',
    ':',
    'Human:cli',
    'human:cly',
    'human:cli ',
    'agent:unattnded',
    'agent:controlled',
    'agent:partial',
    'agent:partial:',
    undefined,
    null,
    7,
  ])('CON-56 the value %j is refused from everywhere', (value) => {
    for (const from of ['cli', 'web', 'mcp', 'github', 'engine'] as const)
      expect(parseProvenance(value, from)).toMatchObject({ rejection: 'bad_input' });
  });
});

describe('the mode of a drive', () => {
  test('every mode there is can be read, and each gate can be named', () => {
    expect(DRIVE_MODES.map((text) => parseMode(text)?.kind)).not.toContain(undefined);
    for (const gate of TICKET_GATES)
      expect(parseMode(`partial:${gate}`)).toEqual({ kind: 'partial', pause_at: gate });
  });

  test.each([
    '',
    'partial',
    'partial:',
    'partial:desing',
    'partial:plan:x',
    'unattended:',
    'Unattended',
    'toString',
  ])('"%s" is none', (text) => {
    expect(parseMode(text)).toBeNull();
    expect(DRIVE_MODES).not.toContain(text);
  });
});
