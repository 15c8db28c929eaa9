import { type ConductWords, conductWords } from './builtin-conduct-messages.ts';
import { type DeliverWords, deliverWords } from './builtin-deliver-messages.ts';

/** The words of the built-in script in one language. `task`, `question` and `answer` are already cut. */
export interface BuiltinWords {
  /** Part of every result, so that no one takes a rehearsal for a model's work. */
  readonly disclaimer: string;
  readonly asking: string;
  readonly writing: string;
  readonly scanning: string;
  readonly analysing: string;
  readonly reviewing: string;
  readonly questions: readonly {
    readonly text: (task: string) => string;
    readonly why: string;
  }[];
  readonly goal: (task: string) => string;
  readonly decided: (question: string, answer: string) => string;
  readonly open: (question: string) => string;
  readonly requested: (request: string) => string;
  readonly inScope: (task: string) => string;
  readonly outOfScope: string;
  readonly edgeCase: string;
  readonly mainCriterion: {
    readonly name: string;
    readonly given: string;
    readonly when: (task: string) => string;
    readonly outcome: string;
  };
  readonly criterion: {
    readonly name: (id: string) => string;
    readonly given: (question: string) => string;
    readonly when: string;
    readonly outcome: (answer: string) => string;
  };
  readonly rehearsalRisk: string;
  readonly rehearsalMitigation: string;
  readonly openRisk: (question: string) => string;
  readonly openMitigation: string;
  readonly scanned: string;
  readonly analysed: (task: string) => string;
  /** The detail that a finding must have besides its text. It says that no one thought about it. */
  readonly detail: string;
  readonly resolved: (fix: string) => string;
  readonly objection: {
    readonly title: string;
    readonly issue: string;
    readonly impact: string;
    readonly fix: string;
  };
  readonly deliver: DeliverWords;
  readonly conduct: ConductWords;
}

const en: BuiltinWords = {
  disclaimer: 'Rehearsal: no model wrote this.',
  asking: 'asking the questions of the built-in script',
  writing: 'writing the specification of the built-in script',
  scanning: 'giving the conventions of the built-in script',
  analysing: 'giving the analysis of the built-in script',
  reviewing: 'reviewing with the built-in script',
  questions: [
    {
      text: (task) => `Who will use "${task}", and what do they want to get done with it?`,
      why: 'decides what counts as success',
    },
    { text: (task) => `What must "${task}" not do, or not touch?`, why: 'draws the border of the work' },
    {
      text: (task) => `How will you notice that "${task}" works?`,
      why: 'becomes the first acceptance criterion',
    },
  ],
  goal: (task) => `Make this real, as it was asked for: ${task}`,
  decided: (question, answer) => `${question} Answer: ${answer}`,
  open: (question) => `${question} Nobody has answered this, so nothing is assumed.`,
  requested: (request) => `A change that was asked for: ${request}`,
  inScope: (task) => `What the task names: ${task}`,
  outOfScope: 'Everything that neither the task nor an answer names.',
  edgeCase: 'The input is empty, missing or not readable: say what is wrong and change nothing.',
  mainCriterion: {
    name: 'The task is done as it was asked for',
    given: 'a user and the project as it is today',
    when: (task) => `the user does what the task describes: ${task}`,
    outcome: 'the described result is there, and nothing else has changed',
  },
  criterion: {
    name: (id) => `The answer to ${id} holds`,
    given: (question) => `the question was: ${question}`,
    when: 'the finished work is looked at',
    outcome: (answer) => `it agrees with the answer: ${answer}`,
  },
  rehearsalRisk: 'This specification repeats the task and the answers; nobody thought about them.',
  rehearsalMitigation: 'Run it again with a real agent before anything is built.',
  openRisk: (question) => `An open question may turn out to matter: ${question}`,
  openMitigation: 'Answer it before the work begins.',
  scanned: 'The built-in script looks at no file; the structure of the project is taken as it is.',
  analysed: (task) => `Repeated and not thought about: ${task}`,
  detail: 'not thought about',
  resolved: (fix) => `Taken up from the review: ${fix}`,
  objection: {
    title: 'What happens when it is done twice is missing',
    issue: 'No passage says what a second run over the same input does.',
    impact: 'A repeated run could do the work twice or spoil what the first one made.',
    fix: 'A second run over the same input changes nothing and says so.',
  },
  deliver: deliverWords('en'),
  conduct: conductWords.en,
};

const ko: BuiltinWords = {
  disclaimer: '리허설: 모델이 작성한 글이 아닙니다.',
  asking: '내장 스크립트의 질문을 준비합니다',
  writing: '내장 스크립트의 명세를 작성합니다',
  scanning: '내장 스크립트의 규칙을 전달합니다',
  analysing: '내장 스크립트의 분석을 전달합니다',
  reviewing: '내장 스크립트로 검토합니다',
  questions: [
    {
      text: (task) => `"${task}"은(는) 누가, 무엇을 위해 사용합니까?`,
      why: '무엇이 성공인지 정합니다',
    },
    {
      text: (task) => `"${task}"에서 하지 말아야 할 일이나 건드리면 안 되는 것은 무엇입니까?`,
      why: '작업의 경계를 정합니다',
    },
    {
      text: (task) => `"${task}"이(가) 제대로 동작하는지 어떻게 확인합니까?`,
      why: '첫 번째 인수 기준이 됩니다',
    },
  ],
  goal: (task) => `요청한 내용을 그대로 구현합니다: ${task}`,
  decided: (question, answer) => `${question} 답변: ${answer}`,
  open: (question) => `${question} 아직 답변이 없으므로 아무것도 가정하지 않습니다.`,
  requested: (request) => `요청받은 변경: ${request}`,
  inScope: (task) => `작업에 적힌 내용: ${task}`,
  outOfScope: '작업과 답변에 나오지 않는 모든 것.',
  edgeCase: '입력이 비어 있거나, 없거나, 읽을 수 없는 경우: 문제를 알리고 아무것도 바꾸지 않습니다.',
  mainCriterion: {
    name: '요청한 작업이 완료됩니다',
    given: '사용자와 현재 상태의 프로젝트가 있습니다',
    when: (task) => `사용자가 작업에 적힌 일을 합니다: ${task}`,
    outcome: '적힌 결과가 나오고 다른 것은 바뀌지 않습니다',
  },
  criterion: {
    name: (id) => `${id}의 답변이 지켜집니다`,
    given: (question) => `질문: ${question}`,
    when: '완성된 결과를 확인합니다',
    outcome: (answer) => `결과가 답변과 일치합니다: ${answer}`,
  },
  rehearsalRisk: '이 명세는 작업과 답변을 되풀이할 뿐이며, 검토한 사람이나 모델이 없습니다.',
  rehearsalMitigation: '개발을 시작하기 전에 실제 에이전트로 다시 실행합니다.',
  openRisk: (question) => `답변이 없는 질문이 중요할 수 있습니다: ${question}`,
  openMitigation: '작업을 시작하기 전에 답변합니다.',
  scanned: '내장 스크립트는 파일을 보지 않습니다. 프로젝트 구조는 현재 상태를 따릅니다.',
  analysed: (task) => `그대로 옮긴 것이며 생각한 것이 아닙니다: ${task}`,
  detail: '생각하지 않음',
  resolved: (fix) => `검토에서 받아들인 내용: ${fix}`,
  objection: {
    title: '두 번 실행했을 때의 내용이 없습니다',
    issue: '같은 입력으로 다시 실행하면 어떻게 되는지 적혀 있지 않습니다.',
    impact: '다시 실행하면 일을 두 번 하거나 처음 결과를 망칠 수 있습니다.',
    fix: '같은 입력으로 다시 실행하면 아무것도 바꾸지 않고 그렇다고 알립니다.',
  },
  deliver: deliverWords('ko'),
  conduct: conductWords.ko,
};

/** Korean for Korean runs, English for all others. */
export function builtinWords(lang: string): BuiltinWords {
  return lang === 'ko' ? ko : en;
}
