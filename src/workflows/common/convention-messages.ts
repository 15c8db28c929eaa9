import type { Msg } from '../../contract/brief.ts';

const en = {
  'conventions.gate.title': 'Convention scan',
  'conventions.gate.decide': 'No written conventions were found. Scan the code for them?',
  'conventions.gate.why': 'CLAUDE.md is missing, shorter than 50 lines or larger than 5000 lines or 200 KB.',
  'conventions.gate.scan': 'Scan',
  'conventions.gate.scan.leads':
    'one worker reads the code (database, API, files, tests) and notes its rules',
  'conventions.gate.skip': 'Skip',
  'conventions.gate.skip.leads': 'go on without conventions; this is final for the run',
  'conventions.candidates.title': 'Conventions file',
  'conventions.candidates.decide':
    '{n, plural, one {# file} other {# files}} may hold the conventions. Which one counts?',
  'conventions.candidates.pick.leads':
    'a copy of this file becomes the conventions of the run ({lines} lines)',
  'conventions.candidates.first': 'First file',
  'conventions.candidates.second': 'Second file',
  'conventions.candidates.third': 'Third file',
  'conventions.candidates.file.leads': 'a copy of this file becomes the conventions of the run',
  'conventions.candidates.why': '{path} has the most lines ({lines}).',
  'conventions.candidates.skip': 'Skip',
  'conventions.candidates.skip.leads': 'use none of them; this is final for the run',
  'conventions.from.reference': 'Conventions: copied from the reference {path}.',
  'conventions.from.claude_md': 'Conventions: copied from CLAUDE.md ({lines} lines).',
  'conventions.from.candidate': 'Conventions: copied from {path} ({lines} lines).',
  'conventions.from.scan': 'Conventions: noted by a scan of the code.',
  'conventions.from.skipped': 'Conventions: skipped.',
  'conventions.from.nothing': 'Conventions: skipped, no conventions file was found.',
  'conventions.scan_failed':
    'The convention scan gave no usable result after {attempts, plural, one {# try} other {# tries}}. It is skipped.',
  'conventions.look_failed':
    'The conventions could not be read: {detail} ({code}). Put it right, then resume: the step starts again.',
  'conventions.doc.title': 'Conventions',
  'conventions.doc.db': 'Database',
  'conventions.doc.api': 'API',
  'conventions.doc.files': 'File structure',
  'conventions.doc.tests': 'Tests',
} as const;

/** An id of the shared convention step. */
export type ConventionMessageId = keyof typeof en;

const ko = {
  'conventions.gate.title': '규칙 조사',
  'conventions.gate.decide': '적어 둔 규칙을 찾지 못했습니다. 코드에서 찾아볼까요?',
  'conventions.gate.why': 'CLAUDE.md가 없거나, 50줄보다 짧거나, 5000줄 또는 200 KB를 넘습니다.',
  'conventions.gate.scan': '조사',
  'conventions.gate.scan.leads': '작업자 하나가 코드(데이터베이스, API, 파일, 테스트)를 읽고 규칙을 적습니다',
  'conventions.gate.skip': '건너뛰기',
  'conventions.gate.skip.leads': '규칙 없이 진행합니다. 이 실행에서는 바꿀 수 없습니다',
  'conventions.candidates.title': '규칙 파일',
  'conventions.candidates.decide': '규칙이 담긴 듯한 파일이 {n}개 있습니다. 어느 것을 따를까요?',
  'conventions.candidates.pick.leads': '이 파일의 사본을 이 실행의 규칙으로 씁니다({lines}줄)',
  'conventions.candidates.first': '첫째 파일',
  'conventions.candidates.second': '둘째 파일',
  'conventions.candidates.third': '셋째 파일',
  'conventions.candidates.file.leads': '이 파일의 사본을 이 실행의 규칙으로 씁니다',
  'conventions.candidates.why': '{path} 파일이 가장 깁니다({lines}줄).',
  'conventions.candidates.skip': '건너뛰기',
  'conventions.candidates.skip.leads': '아무것도 쓰지 않습니다. 이 실행에서는 바꿀 수 없습니다',
  'conventions.from.reference': '규칙: 참고 파일 {path}에서 가져왔습니다.',
  'conventions.from.claude_md': '규칙: CLAUDE.md에서 가져왔습니다({lines}줄).',
  'conventions.from.candidate': '규칙: {path}에서 가져왔습니다({lines}줄).',
  'conventions.from.scan': '규칙: 코드를 조사해 적었습니다.',
  'conventions.from.skipped': '규칙: 건너뛰었습니다.',
  'conventions.from.nothing': '규칙: 규칙 파일이 없어 건너뛰었습니다.',
  'conventions.scan_failed': '규칙 조사를 {attempts}번 했지만 쓸 만한 결과가 없어 건너뜁니다.',
  'conventions.look_failed':
    '규칙을 읽지 못했습니다: {detail} ({code}). 고친 뒤 다시 시작하시면 이 단계를 처음부터 합니다.',
  'conventions.doc.title': '규칙',
  'conventions.doc.db': '데이터베이스',
  'conventions.doc.api': 'API',
  'conventions.doc.files': '파일 구조',
  'conventions.doc.tests': '테스트',
} as const satisfies Record<ConventionMessageId, string>;

/** What the convention step says. A key missing from a language does not compile. */
export const conventionMessages = { en, ko };

/** Names a text of this catalogue. */
export function sayConvention(msg: ConventionMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
