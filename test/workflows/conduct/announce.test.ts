import { describe, expect, test } from 'vitest';
import type { Text } from '../../../src/contract/brief.ts';
import type { DriveMode } from '../../../src/contract/ticket.ts';
import { resolveTrust } from '../../../src/engine/delegation.ts';
import {
  endReport,
  parentTicketReport,
  startReport,
  trustReport,
} from '../../../src/workflows/conduct/announcements.ts';
import { translator } from '../../support/texts.ts';

const said = (lines: readonly Text[], lang: 'en' | 'ko' = 'en') => lines.map(translator(lang));
const UNATTENDED: DriveMode = { kind: 'unattended' };
const ESCALATE: DriveMode = { kind: 'escalate' };
const PARTIAL: DriveMode = { kind: 'partial', pause_at: 'design' };
const CONTROLLED: DriveMode = { kind: 'controlled' };

describe('the start report', () => {
  const risk =
    'Risk floor: a gate that touches auth, data-migration, irreversible-destructive, shared-core waits for you, regardless of mode or dial.';
  const recorded = 'Gates accepted for you are recorded as Accepted decisions like any other.';

  test('CON-15 controlled', () => {
    expect(said(startReport('B-12', 'Idea', CONTROLLED))).toEqual([
      'B-12 starts at Idea, mode controlled.',
      'Every gate waits for you.',
    ]);
  });

  test('CON-15 CON-115 partial names its gate', () => {
    expect(said(startReport('B-12', 'Captured', PARTIAL))).toEqual([
      'B-12 starts at Captured, mode partial:design.',
      'It pauses at design and at every gate after it; gates before design are accepted for you. Release and verify always wait for you.',
      risk,
      recorded,
    ]);
  });

  test('CON-15 CON-115 unattended names release and verify', () => {
    expect(said(startReport('B-12', 'Planned', UNATTENDED))).toEqual([
      'B-12 starts at Planned, mode unattended.',
      'Forward gates are accepted for you. Release and verify always wait for you.',
      risk,
      recorded,
    ]);
  });

  test('CON-15 CON-115 escalate also names the judgement', () => {
    expect(said(startReport('B-12', 'Clarified', ESCALATE))).toEqual([
      'B-12 starts at Clarified, mode escalate.',
      'Each forward gate is judged: one worth your opinion waits, a routine one is accepted for you. Release and verify always wait for you.',
      risk,
      recorded,
    ]);
  });

  test('in Korean', () => {
    expect(said(startReport('B-12', 'Idea', PARTIAL), 'ko').slice(0, 2)).toEqual([
      'B-12: Idea에서 시작합니다. 모드 partial:design.',
      'design 게이트부터는 모두 멈춥니다. design 앞의 게이트는 대신 수락합니다. release와 verify는 언제나 답을 기다립니다.',
    ]);
  });
});

describe('the dial', () => {
  test.each([
    [UNATTENDED, '--unattended'],
    [ESCALATE, '--escalate'],
    [PARTIAL, '--pause-at design'],
  ] as const)('cautious names itself, the ignored flag and the way to allow it: %j', (mode, flag) => {
    expect(said(trustReport('B-12', resolveTrust({ level: 'cautious' }), mode))).toEqual([
      `The trust level is cautious: ${flag} is ignored and every gate waits for you (controlled).`,
      `To allow it: baton trust balanced. Then: baton conduct B-12 ${flag}`,
    ]);
  });

  test('nothing is said where nothing was taken away', () => {
    expect(trustReport('B-12', resolveTrust({}), UNATTENDED)).toEqual([]);
    expect(trustReport('B-12', resolveTrust('autonomous'), ESCALATE)).toEqual([]);
    expect(trustReport('B-12', resolveTrust('cautious'), CONTROLLED)).toEqual([]);
  });

  test('a level nobody knows is announced, with a flag and without', () => {
    const unknown = 'The trust level "yolo" is not known. It counts as cautious.';
    expect(said(trustReport('B-12', resolveTrust('yolo'), CONTROLLED))).toEqual([unknown]);
    expect(said(trustReport('B-12', resolveTrust('yolo'), UNATTENDED))[0]).toBe(unknown);
    expect(trustReport('B-12', resolveTrust('yolo'), UNATTENDED)).toHaveLength(3);
  });
});

describe('the end', () => {
  test('CON-115 a run from Clarified to Verified names where it began', () => {
    expect(said(endReport({ ticket: 'B-12', began: 'Clarified', state: 'Verified' }))).toEqual([
      'B-12 is Verified. This run began at Clarified.',
    ]);
  });

  test('a parked or cancelled ticket says where it stood and why', () => {
    const end = { ticket: 'B-12', began: 'Idea', at: 'Designed' } as const;
    expect(said(endReport({ ...end, state: 'Parked', why: 'Not this quarter {yet}' }))).toEqual([
      'B-12 is Parked; it stood at Designed. This run began at Idea.',
      'Reason: Not this quarter {yet}',
    ]);
    expect(said(endReport({ ...end, state: 'Cancelled', why: ' ' }))).toEqual([
      'B-12 is Cancelled; it stood at Designed. This run began at Idea.',
      'No reason was given.',
    ]);
  });

  test('a parent ticket lists each child with its state', () => {
    const children = [
      { id: 'B-13', title: 'Read', state: 'Idea' },
      { id: 'B-14', title: 'Write', state: 'Verified' },
    ] as const;
    expect(said(parentTicketReport('B-12', 'Decomposed', children))).toEqual([
      'B-12 is the parent of 2 tickets; there is nothing to do here until they are verified. This run began at Decomposed.',
      '- B-13 Idea: Read',
      '- B-14 Verified: Write',
    ]);
  });
});
