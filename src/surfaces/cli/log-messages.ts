const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

const en = {
  day: (date: string) => `${date} (UTC)`,
  created: (who: string, title: string) => `started by ${who}: ${title}`,
  worker_done: (role: string, took: string) => `${role}: result in ${took}`,
  worker_failed: (role: string, tries: number, why: string) =>
    `${role}: no usable result after ${tries === 1 ? '1 try' : `${tries} tries`}: ${why}`,
  check: (name: string, result: string, exit: string, seconds: string) =>
    `${name}: ${result}, exit ${exit}, ${seconds} s`,
  check_skipped: (name: string, result: string) => `${name}: ${result}`,
  tests: (failed: number, total: number) => `${failed} of ${plural(total, 'test')} failed`,
  files: (n: number) => `${plural(n, 'file')} changed`,
  committed: (commit: string) => `commit ${commit}`,
  on_branch: (branch: string) => `on ${branch}`,
  documents: (names: string) => `documents stored: ${names}`,
  looked: (what: string) => `looked at: ${what}`,
  wrote: (what: string) => `done: ${what}`,
  failed: (what: string, code: string, detail: string) => `${what} failed: ${code}: ${detail}`,
  under_way: (what: string) => `${what} began`,
  asked: (gate: string, id: string) => `asked: ${gate} (${id})`,
  answered: (option: string, who: string, id: string) => `answered: ${option}, by ${who} (${id})`,
  held: (option: string, who: string, id: string) =>
    `answered: ${option}, by ${who}; the gate stays open (${id})`,
  withdrawn: (id: string) => `withdrawn: ${id}`,
  trouble: (kind: string) => `trouble: ${kind}`,
  command: (command: string, who: string) => `command ${command}, by ${who}`,
  signal: (what: string) => `heard: ${what}`,
  refused: (why: string) => `refused: ${why}`,
  halted: (why: string) => `halted: ${why}`,
  idle: (why: string) => `rests: ${why}`,
  slept: (why: string) => `sleeps: ${why}`,
  resumed: (who: string) => `resumed by ${who}`,
  ended: (result: string) => `ended: ${result}`,
  migrated: 'brought to the present version',
  spent: (text: string) => `spent so far: ${text}`,
  more: (run: string) => `one entry whole: baton log ${run} --call <n>`,
};

/** The texts of `baton log`. A text that is missing in one language does not compile. */
export type LogWords = typeof en;

const ko: LogWords = {
  day: (date) => `${date} (UTC)`,
  created: (who, title) => `${who} 님이 시작함: ${title}`,
  worker_done: (role, took) => `${role}: 결과를 냄, ${took}`,
  worker_failed: (role, tries, why) => `${role}: ${tries}번 시도했지만 쓸 만한 결과 없음: ${why}`,
  check: (name, result, exit, seconds) => `${name}: ${result}, 종료 코드 ${exit}, ${seconds}초`,
  check_skipped: (name, result) => `${name}: ${result}`,
  tests: (failed, total) => `테스트 ${total}개 중 ${failed}개 실패`,
  files: (n) => `파일 ${n}개 변경`,
  committed: (commit) => `커밋 ${commit}`,
  on_branch: (branch) => `브랜치 ${branch}`,
  documents: (names) => `문서 저장: ${names}`,
  looked: (what) => `살펴봄: ${what}`,
  wrote: (what) => `완료: ${what}`,
  failed: (what, code, detail) => `${what} 실패: ${code}: ${detail}`,
  under_way: (what) => `${what} 시작`,
  asked: (gate, id) => `질문: ${gate} (${id})`,
  answered: (option, who, id) => `답변: ${option}, ${who} (${id})`,
  held: (option, who, id) => `답변: ${option}, ${who}. 게이트는 열려 있음 (${id})`,
  withdrawn: (id) => `거둠: ${id}`,
  trouble: (kind) => `문제: ${kind}`,
  command: (command, who) => `명령 ${command}, ${who}`,
  signal: (what) => `받음: ${what}`,
  refused: (why) => `거절: ${why}`,
  halted: (why) => `멈춤: ${why}`,
  idle: (why) => `쉼: ${why}`,
  slept: (why) => `대기: ${why}`,
  resumed: (who) => `${who} 님이 재개함`,
  ended: (result) => `종료: ${result}`,
  migrated: '현재 버전으로 옮김',
  spent: (text) => `지금까지 사용: ${text}`,
  more: (run) => `한 항목 전체: baton log ${run} --call <n>`,
};

export function logWordsFor(lang: string): LogWords {
  return lang.toLowerCase().startsWith('ko') ? ko : en;
}
