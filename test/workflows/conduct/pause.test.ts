import { describe, expect, test } from 'vitest';
import type { Text } from '../../../src/contract/brief.ts';
import { type DriveMode, RISK_CLASSES, TICKET_GATES } from '../../../src/contract/ticket.ts';
import { delegate, resolveTrust } from '../../../src/engine/delegation.ts';
import { detectRisks, riskClasses } from '../../../src/engine/risk-classes.ts';
import { evidenceLines, type PauseFacts, pauseReport } from '../../../src/workflows/conduct/announcements.ts';
import { translator } from '../../support/texts.ts';

const said = (lines: readonly Text[], lang: 'en' | 'ko' = 'en') => lines.map(translator(lang));
const UNATTENDED: DriveMode = { kind: 'unattended' };
const ESCALATE: DriveMode = { kind: 'escalate' };
const PARTIAL: DriveMode = { kind: 'partial', pause_at: 'design' };
const CONTROLLED: DriveMode = { kind: 'controlled' };

const CONTENT = 'DECIDE: Build it this way?\n\nRecommend: Go {ahead}\n\n\tWhy:\n- <b>it</b> fits  ';
const facts = (parts: Partial<PauseFacts> = {}): PauseFacts => ({
  ticket: 'B-12',
  gate: 'design',
  reason: 'design-decision-draft',
  track: 'technical',
  content: CONTENT,
  iteration: 1,
  decide: 'Build it this way?',
  pause: { kind: 'pause', cause: 'controlled' },
  hits: [],
  trust: resolveTrust({}),
  mode: CONTROLLED,
  drive_open: true,
  ...parts,
});
const HEAD = [CONTENT, 'B-12 waits for you at the design gate, technical track.', 'Build it this way?'];
const ANSWERS = [
  'Answer with one of:',
  '  baton answer B-12 accept',
  '  baton answer B-12 reshape --text "..."   (feedback: the brief is drafted again)',
  '  baton answer B-12 deny   (parks the ticket)',
];
const HOLDS =
  'The run continues after your answer with --unattended. Once this drive has ended: baton conduct B-12 --unattended';

describe('the pause', () => {
  test('the brief stands in it byte for byte, its revision only from the second on', () => {
    const once = said(pauseReport(facts()));
    expect(once.join('\n').startsWith(`${CONTENT}\n`)).toBe(true);
    const twice = said(pauseReport(facts({ iteration: 2 })));
    expect(twice).toEqual([CONTENT, 'Revision 2 of this brief.', ...once.slice(1)]);
  });

  test.each<[string, Partial<PauseFacts>, string[]]>([
    [
      'controlled',
      {},
      [
        ...HEAD,
        'Nothing is handed over in this run. To hand over forward gates: baton conduct B-12 --unattended   (or --escalate, or --pause-at <gate>)',
        ...ANSWERS,
        'The run continues after your answer in mode controlled.',
      ],
    ],
    [
      'dial',
      { pause: { kind: 'pause', cause: 'dial' }, trust: resolveTrust('cautious'), mode: UNATTENDED },
      [
        ...HEAD,
        'The trust level is cautious: --unattended is ignored and every gate waits for you (controlled).',
        'To allow it: baton trust balanced. Then: baton conduct B-12 --unattended',
        ...ANSWERS,
        'The run continues after your answer in mode controlled.',
      ],
    ],
    [
      'risk-floor',
      {
        pause: { kind: 'pause', cause: 'risk-floor', classes: ['auth', 'data-migration'] },
        hits: detectRisks({
          title: 'Login',
          description: 'First.\nDrop\ncolumn age',
          content: 'A\nbackfill',
          labels: ['risk:auth'],
        }).filter((hit) => hit.class !== 'irreversible-destructive'),
        mode: UNATTENDED,
      },
      [
        ...HEAD,
        'Risk floor: auth, data-migration. It pauses regardless of mode or dial.',
        '- auth: "Login" in the title',
        '- auth: label "risk:auth"',
        '- data-migration: "Drop column" in the description, line 2',
        '- data-migration: "backfill" in the brief, line 2',
        ...ANSWERS,
        HOLDS,
      ],
    ],
    [
      'escalate',
      { pause: { kind: 'pause', cause: 'escalate', signals: ['near-tie', 'novel'] }, mode: ESCALATE },
      [
        ...HEAD,
        'Judged worth your opinion:',
        '- alternatives that are nearly as good',
        '- new ground, or a precedent',
        ...ANSWERS,
        'The run continues after your answer with --escalate. Once this drive has ended: baton conduct B-12 --escalate',
      ],
    ],
    [
      'escalate without a judgement',
      { pause: { kind: 'pause', cause: 'escalate', signals: [] }, mode: ESCALATE },
      [
        ...HEAD,
        'It counts as worth your opinion: the judge gave no valid answer, or named no signal.',
        ...ANSWERS,
        'The run continues after your answer with --escalate. Once this drive has ended: baton conduct B-12 --escalate',
      ],
    ],
    [
      'hard-floor',
      {
        pause: { kind: 'pause', cause: 'hard-floor' },
        gate: 'release',
        reason: 'release-decision-pending',
        track: null,
        mode: UNATTENDED,
      },
      [
        CONTENT,
        'B-12 waits for you at the release gate.',
        'Build it this way?',
        'Release is one way: it is always yours, --unattended or not.',
        'Answer with one of:',
        '  baton answer B-12 accept   (you type B-12 to confirm)',
        ...ANSWERS.slice(2),
        HOLDS,
      ],
    ],
    [
      'hard-floor of a deliverable',
      { pause: { kind: 'pause', cause: 'hard-floor' }, mode: UNATTENDED },
      [
        ...HEAD,
        'Accepting this ends the ticket at Verified, one way: it is always yours, --unattended or not.',
        ...ANSWERS,
        HOLDS,
      ],
    ],
    [
      'pause-at',
      { pause: { kind: 'pause', cause: 'pause-at' }, mode: PARTIAL },
      [
        ...HEAD,
        'Paused here as you asked: --pause-at design.',
        ...ANSWERS,
        'The run continues after your answer with --pause-at design. Once this drive has ended: baton conduct B-12 --pause-at design',
      ],
    ],
    [
      'revised',
      { pause: { kind: 'pause', cause: 'revised' }, mode: UNATTENDED },
      [
        ...HEAD,
        'You changed this brief, so it comes back to you. The next gate is tested as usual.',
        ...ANSWERS,
        HOLDS,
      ],
    ],
    [
      'stale',
      { pause: { kind: 'pause', cause: 'stale' }, reason: 'stale-patch-review', mode: UNATTENDED },
      [
        ...HEAD,
        'A decision this ticket depends on has changed. A stale ticket waits in every mode. A patch is drafted for you.',
        ...ANSWERS.slice(0, 3),
        '  baton answer B-12 deny   (rejects the patch; the ticket stays where it is)',
        HOLDS,
      ],
    ],
    [
      'review',
      { pause: { kind: 'pause', cause: 'review' }, reason: 'stale-patch-review', mode: UNATTENDED },
      [
        ...HEAD,
        'This is a patch to review. You decide it in every mode.',
        ...ANSWERS.slice(0, 3),
        '  baton answer B-12 deny   (rejects the patch; the ticket stays where it is)',
        HOLDS,
      ],
    ],
    [
      'question',
      { pause: { kind: 'pause', cause: 'question' }, reason: 'elicitation-round', mode: UNATTENDED },
      [
        ...HEAD,
        'These are questions only you can answer. Decisions can be handed over, answers cannot.',
        'Answer with: baton answer B-12',
        HOLDS,
      ],
    ],
    [
      'approval',
      { pause: { kind: 'pause', cause: 'approval' }, reason: 'release-approval-pending', mode: UNATTENDED },
      [
        ...HEAD,
        'This waits for approval by a person in every mode.',
        'Approve the pull request, then: baton conduct B-12',
        HOLDS,
      ],
    ],
    [
      'approval of a build',
      {
        pause: { kind: 'pause', cause: 'approval' },
        gate: 'build',
        track: null,
        reason: 'build-go-pending',
        mode: UNATTENDED,
      },
      [
        CONTENT,
        'B-12 waits for you at the build gate.',
        'Build it this way?',
        'This waits for approval by a person in every mode.',
        ...ANSWERS.filter((line) => !line.includes('reshape')),
        HOLDS,
      ],
    ],
  ])('CON-59 wording of %s', (_cause, parts, expected) => {
    expect(said(pauseReport(facts(parts)))).toEqual(expected);
  });

  test('a patch is one keystroke wherever the ticket stands', () => {
    const at = { gate: 'release', reason: 'stale-patch-review', track: null } as const;
    expect(said(pauseReport(facts({ ...at, pause: { kind: 'pause', cause: 'review' } })))).toContain(
      '  baton answer B-12 accept',
    );
  });

  test('no flag is offered where none would help', () => {
    const at = { gate: 'verify', reason: 'verification-ack-pending', track: null } as const;
    expect(said(pauseReport(facts(at))).join('\n')).not.toContain('--unattended');
  });

  test('without an open drive an answer is carried on controlled, and the flag to hand over again is said', () => {
    const line = (parts: Partial<PauseFacts>) =>
      said(pauseReport(facts({ drive_open: false, ...parts }))).at(-1);
    expect(line({ mode: PARTIAL, pause: { kind: 'pause', cause: 'pause-at' } })).toBe(
      'No drive is open. The run continues controlled after your answer, so the next gate waits for you. To hand over again: baton conduct B-12 --pause-at design',
    );
    expect(line({})).toBe(
      'No drive is open. The run continues controlled after your answer, so the next gate waits for you.',
    );
  });

  test('in Korean', () => {
    const pause = { kind: 'pause', cause: 'risk-floor', classes: ['auth'] } as const;
    const hits = detectRisks({ description: 'x\nlogin', paths: ['auth/a.ts'] });
    expect(said(pauseReport(facts({ pause, hits, mode: UNATTENDED })), 'ko')).toEqual([
      CONTENT,
      'B-12: design 게이트(technical 트랙)에서 답을 기다립니다.',
      'Build it this way?',
      '위험 하한: auth. 모드나 다이얼과 상관없이 멈춥니다.',
      '- auth: 설명 2번째 줄의 "login"',
      '- auth: 바뀐 파일 auth/a.ts',
      '다음 중 하나로 답해 주세요:',
      '  baton answer B-12 accept',
      '  baton answer B-12 reshape --text "..."   (의견: 브리프를 다시 만듭니다)',
      '  baton answer B-12 deny   (티켓을 보류합니다)',
      '답하시면 --unattended(으)로 이어 갑니다. 이 드라이브가 끝난 뒤라면: baton conduct B-12 --unattended',
    ]);
  });

  test('CON-41 every delegating mode pauses for every class at balanced and autonomous, and names it', () => {
    const modes = [
      UNATTENDED,
      ESCALATE,
      ...TICKET_GATES.slice(3).map((pause_at) => ({ kind: 'partial', pause_at }) as const),
    ];
    for (const mode of modes)
      for (const name of RISK_CLASSES)
        for (const level of ['balanced', 'autonomous'] as const) {
          const hits = detectRisks({ labels: [name] });
          const row = {
            ...({ gate: 'design', reason: 'design-decision-draft', stale: false, revised: false } as const),
            ...{
              unproven: false,
              unread: false,
              deliverable: false,
              classes: riskClasses(hits),
              judgement: null,
              sure_signals: [],
            },
          };
          const pause = delegate({ mode, trust: level, row });
          if (pause.kind !== 'pause') throw new Error(`${mode.kind} went on at ${name}`);
          const lines = said(pauseReport(facts({ pause, hits, mode, trust: resolveTrust(level) })));
          expect(lines).toContain(`Risk floor: ${name}. It pauses regardless of mode or dial.`);
        }
  });

  test('a long list of evidence is cut and says so', () => {
    const hits = detectRisks({ description: Array.from({ length: 13 }, () => 'role').join('\n') });
    const lines = said(evidenceLines(hits));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('- and 3 more');
  });
});
