import { describe, expect, test } from 'vitest';
import { renderBrief } from '../../../src/engine/brief.ts';
import { renderFindings } from '../../../src/workflows/spec/documents.ts';
import { renderSpec } from '../../../src/workflows/spec/spec-markdown.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import { answerPure, notices, type PureRun, passPure, settlePure, workPure } from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { analysed, atAnalysts, type How, items, reviewed, synthesised } from './deep-fixture.ts';
import { atConventions, begin, GIT, questions, specDoc, stateOf } from './fixture.ts';

const TASK_KO = '사진 이름을 날짜로 바꾸는 도구';

/** A quick run with git from start to end: one round of two questions, one of them left open. */
function wholeRun(task: string): PureRun {
  const queried = settlePure(begin({ task }, { git: GIT }), {
    kind: 'queried',
    found: { taken: [], siblings: [], branch: { name: 'baton/spec-photos', base: GIT.head } },
  });
  const scan = settlePure(queried, {
    kind: 'queried',
    found: { source: 'claude_md', artefact: `sha256:${'2'.repeat(64)}`, lines: 80 },
  });
  const asked = workPure(scan, questions(2));
  const answered = answerPure(asked, 'answer', { fields: { q1: 'JPEG', q2: null } });
  const complete = workPure(answered, { questions: [] });
  const draft = workPure(passPure(complete), specDoc(['q2']));
  const approved = answerPure(draft, 'approve');
  const { docs_path } = stateOf(approved);
  const files = ['spec.md', 'qa_notes.md', 'conventions.md'].map((file) => `${docs_path}${file}`);
  return settlePure(approved, {
    kind: 'written',
    result: { files, branch: 'baton/spec-photos', commit: 'c'.repeat(40) },
  });
}

describe('what a person reads', () => {
  test('SP-68: golden progress of a quick run in English', () => {
    const docs = 'docs/baton/a-tool-that-renames-photos-by-date/';
    expect(notices(wholeRun('A tool that renames photos by date'), 'en')).toEqual([
      `Setup done: branch baton/spec-photos, mode quick, output ${docs}spec.md.`,
      'Conventions: copied from CLAUDE.md (80 lines).',
      'Round 1 of 3: 2 questions.',
      'Round 1 closed: 1 answered, 1 unconfirmed.',
      'Nothing new to ask.',
      'Discovery complete: 2 questions asked, 1 unconfirmed.',
      'Writing the specification.',
      `Draft ready: 1 criterion, 1 unconfirmed; mode quick, Q&A round 2/3, output ${docs}spec.md.`,
      'Approved by Ada <ada@example.org>. Storing the documents.',
      `Stored: ${docs}spec.md`,
      `Stored: ${docs}qa_notes.md`,
      `Stored: ${docs}conventions.md`,
      'On branch baton/spec-photos (cccccccccccc). To take it over: git merge baton/spec-photos',
      'Completed: the specification is approved and stored.',
    ]);
  });

  test('SP-68: golden progress of a quick run in Korean', () => {
    const run = wholeRun(TASK_KO);
    const { docs_path } = stateOf(run);
    expect(notices(run, 'ko')).toEqual([
      `준비 완료: 브랜치 baton/spec-photos, 모드 quick, 결과 ${docs_path}spec.md.`,
      '규칙: CLAUDE.md에서 가져왔습니다(80줄).',
      '1/3 라운드: 질문 2개.',
      '1 라운드 끝: 답변 1개, 미확인 1개.',
      '더 물을 것이 없습니다.',
      '질문 완료: 질문 2개, 미확인 1개.',
      '명세를 씁니다.',
      `초안이 준비됐습니다: 기준 1개, 미확인 1개. 모드 quick, 질문 라운드 2/3, 결과 ${docs_path}spec.md.`,
      'Ada <ada@example.org> 님이 승인했습니다. 문서를 저장합니다.',
      `저장: ${docs_path}spec.md`,
      `저장: ${docs_path}qa_notes.md`,
      `저장: ${docs_path}conventions.md`,
      '브랜치 baton/spec-photos (cccccccccccc)에 있습니다. 가져오려면: git merge baton/spec-photos',
      '완료: 명세를 승인하고 저장했습니다.',
    ]);
  });

  test('SP-68: golden progress of a deep run with one failed analyst and one revision', () => {
    const hows: How[] = ['findings', 'findings', 'dispatch_failed', 'empty'];
    const gate = reviewed(synthesised(analysed(atAnalysts(), hows)), items(0, 1, 0));
    const revised = synthesised(answerPure(gate, 'auto_revise'), ['M1']);
    const approved = answerPure(passPure(reviewed(revised, items(0, 0, 1))), 'approve');
    const docs = stateOf(approved).docs_path;
    const files = ['spec.md', 'qa_notes.md', 'critic_findings.md'].map((file) => `${docs}${file}`);
    const run = settlePure(approved, { kind: 'written', result: { files, branch: null } });
    expect(notices(run, 'en')).toEqual([
      `Setup done: mode deep, models balanced, output ${docs}spec.md.`,
      'Conventions: skipped, no conventions file was found.',
      'Round 1 of 3: 1 question.',
      'Round 1 closed: 1 answered, 0 unconfirmed.',
      'Nothing new to ask.',
      'Discovery complete: 1 question asked, 0 unconfirmed.',
      'The specification is written without conventions: the step was skipped.',
      '4 analysts read the task.',
      'Analyst risk_auditor failed after 3 tries: it gave no result (nothing).',
      'Analysts done: 3 of 4 usable, 2 with findings.',
      'Draft written: 1 criterion. The critic reads it.',
      'Critic: 0 critical, 1 major, 0 minor.',
      'Revising once with the findings.',
      'Revision written: 1 criterion. The critic reads it again.',
      'Critic: 0 critical, 0 major, 1 minor.',
      `Draft ready: 1 criterion, 0 unconfirmed; mode deep, Q&A round 2/3, output ${docs}spec.md.`,
      'Approved by Ada <ada@example.org>. Storing the documents.',
      ...files.map((file) => `Stored: ${file}`),
      'Completed: the specification is approved and stored.',
    ]);
    expect(notices(run, 'ko').slice(7, 15)).toEqual([
      '분석가 4명이 작업을 읽습니다.',
      '분석가 risk_auditor 실패(3번 시도): 결과가 없습니다 (nothing).',
      '분석 끝: 4명 중 3명 사용 가능, 2명이 찾은 것이 있습니다.',
      '초안을 썼습니다: 기준 1개. 비평가가 읽습니다.',
      '비평: Critical 0개, Major 1개, Minor 0개.',
      '지적을 넣어 한 번 고쳐 씁니다.',
      '고쳐 썼습니다: 기준 1개. 비평가가 다시 읽습니다.',
      '비평: Critical 0개, Major 0개, Minor 1개.',
    ]);
  });

  test('SP-68: each question gate shows the round and the task', () => {
    const asked = workPure(
      settlePure(atConventions(), { kind: 'queried', found: { source: 'none' } }),
      questions(2),
    );
    if (asked.step.kind !== 'gate') throw new Error('no gate');
    const text = renderBrief(asked.step.gate.brief, translator('en'));
    expect(text).toContain('2 questions before the spec (round 1 of 3).');
    expect(text).toContain('Task: A tool that renames photos by date');
  });

  test('SP-61: golden approval gate in Korean, with English keys and ids', () => {
    const run = wholeRun(TASK_KO);
    const step = run.steps.find((one) => one.kind === 'gate' && one.gate.name === 'approval');
    if (step?.kind !== 'gate') throw new Error('no gate');
    const t = translator('ko');
    expect(renderBrief(step.gate.brief, t)).toBe(
      [
        '결정: 이 명세를 승인할까요? 기준 1개, 미확인 1개.',
        '추천: 승인 (직접 판단해 주세요)',
        '이유:\n- 일곱 부분이 모두 채워졌고, 모든 기준에 조건, 행동, 결과가 있습니다.\n- quick 모드라서 다른 사람이나 비평가가 검토하지 않았습니다.',
        `배경:\n- 승인하시면 ${stateOf(run).docs_path}spec.md에 저장합니다`,
        '해 주실 일:\n- 입력: q2은(는) 미확인입니다. 이에 기댄 내용을 읽어 보고 승인해 주세요',
      ].join('\n\n'),
    );
    const options = specWorkflow.gates.approval?.options ?? {};
    expect(
      Object.entries(options).map(([key, { label, description }]) => `${key} ${t(label)}: ${t(description)}`),
    ).toEqual([
      'approve 승인: 명세를 확정하고 문서를 저장합니다',
      'modify 수정: 바꿀 내용을 적으면 명세를 다시 만들어 보여 드립니다',
      'stop 중단: 여기서 끝냅니다. 넘기는 것은 없고 초안은 기록에 남습니다',
    ]);
  });

  test('SP-61: golden spec in Korean: headings and marks translated, ids and enum values English', () => {
    const doc = specDoc(['q2'], { goal: '사진을 날짜 순서로 볼 수 있게 합니다.' });
    expect(renderSpec(doc, translator('ko'))).toBe(
      [
        '# 명세',
        '## 목표',
        '사진을 날짜 순서로 볼 수 있게 합니다.',
        '## 배경과 결정',
        '- The date comes from the picture itself.\n- Open [미확인 q2]',
        '## 범위',
        '- Renaming files of one folder',
        '## 범위 밖',
        '- Changing the pictures',
        '## 예외 상황',
        '- Two photos of one second get a counter.',
        '## 인수 기준',
        '### AC-1: A photo gets its date',
        '- **조건**: a folder with one photo\n- **행동**: the tool runs\n- **결과**: the file is named by its date',
        '## 위험',
        '### 1',
        '- **위험**: Wrong camera clock\n- **가능성**: med\n- **대응**: Show the new names first.\n',
      ].join('\n\n'),
    );
  });

  test('SP-61: findings in Korean keep their ids and severity words', () => {
    const items = [
      { id: 'C1', severity: 'Critical', title: '모순', issue: '가', impact: '나', fix: '다' },
      { id: 'm1', severity: 'Minor', title: '표현', issue: '라', impact: '마', fix: '바' },
    ];
    const text = renderFindings(JSON.stringify({ items }), translator('ko'));
    expect(text).toMatch(/^# [가-힣 ]+\n/);
    expect(text).toContain('## C1 (Critical): 모순');
    expect(text).toContain('## m1 (Minor): 표현');
    expect(text).toMatch(/^- \*\*[가-힣 ]+\*\*: 가$/m);
  });

  test('SP-61: slug, branch and file names of a Korean task are English', () => {
    const run = begin({ task: TASK_KO }, { git: GIT });
    expect(stateOf(run).slug).toMatch(/^[a-z0-9_-]+$/);
    expect(run.step).toMatchObject({
      what: { input: { slug: stateOf(run).slug, branch: `baton/spec-${stateOf(run).slug}` } },
    });
    expect(stateOf(run).slug.length).toBeLessThanOrEqual(50);
  });

  test('every phase, gate and option can be said in both languages', () => {
    for (const lang of ['en', 'ko'] as const) {
      const t = translator(lang);
      const texts = [
        ...Object.values(specWorkflow.phases).map(({ label }) => label),
        ...Object.values(specWorkflow.gates).flatMap(({ title, options }) => [
          title,
          ...Object.values(options).flatMap(({ label, description }) => [label, description]),
        ]),
      ];
      for (const text of texts) expect(t(text)).not.toBe('');
    }
  });
});
