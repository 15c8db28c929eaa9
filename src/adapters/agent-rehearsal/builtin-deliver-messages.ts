/** The words of the built-in script for the roles of `deliver`, in one language. */
export interface DeliverWords {
  /** Progress lines, one for each kind of worker. */
  readonly lines: {
    readonly proposing: string;
    readonly critiquing: string;
    readonly planning: string;
    readonly building: (file: string) => string;
    readonly repairing: string;
    readonly fixing: string;
    readonly evaluating: string;
  };
  readonly approach: string;
  readonly risk: string;
  readonly recommendation: string;
  readonly failureMode: (rank: number) => string;
  readonly critique: (persona: string) => string;
  readonly criterion: {
    readonly name: string;
    readonly given: string;
    readonly when: string;
    readonly outcome: (task: string) => string;
  };
  readonly testing: string;
  readonly source: string;
  readonly step: (file: string) => string;
  readonly integration: string;
  readonly location: string;
  readonly issue: string;
  readonly suggestion: string;
  readonly criteria: string;
  readonly built: (file: string) => string;
  readonly served: (ids: string) => string;
  readonly repaired: (failure: string) => string;
  readonly declined: string;
  readonly noPatch: string;
  readonly seen: string;
  readonly nothingSeen: string;
  readonly notJudged: string;
  readonly hypothesis: (n: number) => string;
  readonly passed: string;
  readonly failed: string;
  readonly changeSomething: string;
}

const en: DeliverWords = {
  lines: {
    proposing: 'giving the proposal of the built-in script',
    critiquing: 'answering the proposals with the built-in script',
    planning: 'giving the plan of the built-in script',
    building: (file) => `writing ${file}, the only file of the built-in script`,
    repairing: 'repairing nothing: the built-in script only writes notes',
    fixing: 'proposing no patch: the built-in script has none',
    evaluating: 'filling in the checklist with the built-in script',
  },
  approach: 'One text file repeats the task and the ids of the criteria. No other file is touched.',
  risk: 'The task is repeated and not done.',
  recommendation: 'Run it again with a real agent before anything is built on this.',
  failureMode: (rank) => `Place ${rank} of the list: nobody looked for a way to fail.`,
  critique: (persona) => `The view of ${persona} on the two proposals: both repeat the task.`,
  criterion: {
    name: 'The task stands in the change',
    given: 'the project as it is today',
    when: 'the change is read',
    outcome: (task) => `one text file repeats the task: ${task}`,
  },
  testing: 'The commands of the project run as they are; the built-in script adds no test.',
  source: 'rehearsal',
  step: (file) => `Write ${file} with the task and the ids of the criteria.`,
  integration: 'Nothing reads the file; it can be removed at any time.',
  location: 'the whole plan',
  issue: 'Nobody has read the plan.',
  suggestion: 'Have it read by a real agent.',
  criteria: 'Criteria',
  built: (file) => `${file} repeats the task. Nothing else was changed.`,
  served: (ids) => `Criteria named in the file: ${ids}`,
  repaired: (failure) => `Nothing was repaired. What failed: ${failure}`,
  declined: 'The built-in script cannot follow advice.',
  noPatch: 'The built-in script has no patch; the cause was not looked for.',
  seen: 'the change names it',
  nothingSeen: 'nothing was changed',
  notJudged: 'Passed unread: the built-in script lets every change through.',
  hypothesis: (n) => `Way to fail ${n}: nobody looked for one.`,
  passed: 'Every row is filled in from the list of changed paths; nothing was judged.',
  failed: 'No path was changed, so no criterion has a place that shows it.',
  changeSomething: 'At least one file of the project is changed.',
};

const ko: DeliverWords = {
  lines: {
    proposing: '내장 스크립트의 제안을 전달합니다',
    critiquing: '내장 스크립트로 제안에 답합니다',
    planning: '내장 스크립트의 계획을 전달합니다',
    building: (file) => `내장 스크립트의 유일한 파일을 씁니다: ${file}`,
    repairing: '고치는 것이 없습니다. 내장 스크립트는 메모만 씁니다',
    fixing: '제안할 패치가 없습니다. 내장 스크립트에는 패치가 없습니다',
    evaluating: '내장 스크립트로 점검표를 채웁니다',
  },
  approach: '텍스트 파일 하나에 작업과 기준의 ID를 그대로 적습니다. 다른 파일은 건드리지 않습니다.',
  risk: '작업을 되풀이해 적을 뿐 실제로 수행하지 않습니다.',
  recommendation: '이 결과를 바탕으로 개발하기 전에 실제 에이전트로 다시 실행합니다.',
  failureMode: (rank) => `목록의 ${rank}번째 자리: 실패할 가능성을 아무도 찾아보지 않았습니다.`,
  critique: (persona) => `두 제안에 대한 ${persona}의 의견: 둘 다 작업을 되풀이합니다.`,
  criterion: {
    name: '변경에 작업이 적혀 있습니다',
    given: '현재 상태의 프로젝트가 있습니다',
    when: '변경을 읽습니다',
    outcome: (task) => `텍스트 파일 하나에 작업이 그대로 적혀 있습니다: ${task}`,
  },
  testing: '프로젝트의 명령을 그대로 실행합니다. 내장 스크립트는 테스트를 추가하지 않습니다.',
  source: '리허설',
  step: (file) => `작업과 기준의 ID를 적은 파일을 씁니다: ${file}`,
  integration: '이 파일을 읽는 것은 없으며 언제든지 지울 수 있습니다.',
  location: '계획 전체',
  issue: '계획을 읽은 사람이나 모델이 없습니다.',
  suggestion: '실제 에이전트에게 검토를 맡깁니다.',
  criteria: '기준',
  built: (file) => `작업을 그대로 적은 파일: ${file}. 다른 것은 바꾸지 않았습니다.`,
  served: (ids) => `파일에 적힌 기준: ${ids}`,
  repaired: (failure) => `고친 것이 없습니다. 실패한 것: ${failure}`,
  declined: '내장 스크립트는 조언을 따를 수 없습니다.',
  noPatch: '내장 스크립트에는 패치가 없습니다. 원인도 찾아보지 않았습니다.',
  seen: '변경에 적혀 있습니다',
  nothingSeen: '바뀐 것이 없습니다',
  notJudged: '읽지 않고 통과시켰습니다. 내장 스크립트는 모든 변경을 통과시킵니다.',
  hypothesis: (n) => `실패할 가능성 ${n}: 아무도 찾아보지 않았습니다.`,
  passed: '바뀐 경로의 목록으로 모든 행을 채웠으며, 판단한 것은 없습니다.',
  failed: '바뀐 경로가 없으므로 기준을 보여 주는 곳이 없습니다.',
  changeSomething: '프로젝트의 파일이 하나 이상 바뀝니다.',
};

/** Korean for Korean runs, English for all others. */
export function deliverWords(lang: string): DeliverWords {
  return lang === 'ko' ? ko : en;
}
