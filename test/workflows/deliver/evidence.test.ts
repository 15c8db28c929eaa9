import { describe, expect, test } from 'vitest';
import { type EvidencePart, joinEvidence } from '../../../src/workflows/deliver/evidence.ts';

type Judged = Extract<EvidencePart, { part: 'judged' }>;
type Closed = Extract<EvidencePart, { part: 'closed' }>;

const command = (name: string, judged: string) => ({ name, command: name, result: 'pass', judged, exit: 0 });
const judged: Judged = {
  part: 'judged',
  round: 1,
  verdict: 'PASS',
  tree: 't',
  content: 'c',
  files: ['src/a.ts'],
  criteria: [
    { id: 'AC-1', met: 'YES', evidence: [{ file: 'src/a.ts', line: 1 }] },
    { id: 'AC-2', met: 'YES', evidence: [{ file: 'src/a.ts', line: 2 }] },
  ],
  commands: [command('build', 'pass'), command('test', 'pass'), command('lint', 'pass')],
  scan: 'PASS',
  nothing_executed: false,
  outside: [],
  alters_checks: [],
  config: 'committed',
};
const signed = (what: string, by = 'Ada') => ({ what, by, hash: null, at: 'now', digest: 'd' });
const closed: Closed = { part: 'closed', reason: 'qa_pass', approvals: [signed('specification')] };
const waived: Closed = { ...closed, approvals: [signed('specification'), signed('layer1_waiver')] };
const failing = (name: string): Partial<Judged> => ({
  commands: judged.commands.map((one) => (one.name === name ? command(name, 'fail') : one)),
});
const [first, second] = judged.criteria as [Judged['criteria'][number], Judged['criteria'][number]];

describe('WF INV-9 passed is read from the record and from nothing else', () => {
  const passed = (parts: readonly EvidencePart[]) => joinEvidence(parts).passed;

  test('WF INV-9 with everything in it, it is', () => {
    expect(passed([judged, closed])).toBe(true);
  });

  test.each<[string, readonly EvidencePart[]]>([
    ['no judgement', [closed]],
    ['no closing', [judged]],
    ['a verdict of layer 2', [{ ...judged, verdict: 'FAIL_L2' }, closed]],
    ['a verdict of layer 3', [{ ...judged, verdict: 'FAIL_L3' }, closed]],
    ['a later verdict that fails', [judged, { ...judged, verdict: 'FAIL_L2' }, closed]],
    ['accepted as it is', [judged, { ...closed, reason: 'accepted_as_is' }]],
    ['rounds used up', [judged, { ...closed, reason: 'max_rounds' }]],
    ['a criterion not met', [{ ...judged, criteria: [first, { ...second, met: 'NO' }] }, closed]],
    ['a criterion without a place', [{ ...judged, criteria: [first, { ...second, evidence: [] }] }, closed]],
    ['a failed build, waived', [{ ...judged, ...failing('build') }, waived]],
    ['a failed test, waived', [{ ...judged, ...failing('test') }, waived]],
    ['a failed lint nobody waived', [{ ...judged, ...failing('lint') }, closed]],
    ['a blocking scan nobody waived', [{ ...judged, scan: 'FAIL' }, closed]],
    [
      'a waiver of nobody',
      [
        { ...judged, ...failing('lint') },
        { ...closed, approvals: [signed('layer1_waiver', '')] },
      ],
    ],
    ['a path outside, waived', [{ ...judged, outside: ['x.env'] }, waived]],
    ['a change after it was judged', [judged, closed, { part: 'altered', content: null }]],
  ])('WF INV-9 %s takes it away', (_name, parts) => {
    expect(passed(parts)).toBe(false);
  });

  test.each<[string, Partial<Judged>]>([
    ['lint', failing('lint')],
    ['scan', { scan: 'FAIL' }],
  ])('WF INV-9 a failing %s that a person waived by name leaves it', (_name, changes) => {
    expect(passed([{ ...judged, ...changes }, waived])).toBe(true);
  });
});
