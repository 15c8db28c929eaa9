import type { Msg } from '../../contract/brief.ts';

const en = {
  'approve.phase.reading': 'Reading the specification',
  'approve.phase.asking': 'Waiting for your approval',
  'approve.phase.completed': 'Approved',
  'approve.status.file': 'Specification',
  'approve.title': 'Approve',
  'approve.decide': 'Is {path} what should be built?',
  'approve.why':
    'A run that builds it must keep every criterion id, and nobody may change the text afterwards.',
  'approve.criteria':
    '{n, plural, =0 {No criterion ids were found, such as AC-1 at the start of a heading or a list item.} one {One criterion: {ids}} other {# criteria: {ids}}}',
  'approve.approve': 'Approve',
  'approve.approve.leads': 'exactly this text may be built; your name, the time and its hash are kept',
  'approve.stop': 'Stop',
  'approve.stop.leads': 'nothing is approved',
  'approve.notice.approved': 'Approved by {by}: {hash}. To build it: baton deliver --from-spec {path}',
  'approve.notice.stopped': 'Stopped. Nothing is approved.',
  'approve.notice.abandoned': 'Given up by {by}.',
  'approve.halt.unreadable': '{path} cannot be read: {detail} ({code}). Resume tries it again.',
  'approve.not_halted': '{command}: the run is not halted, so there is nothing to lift.',
};

type Id = keyof typeof en;

const ko: Record<Id, string> = {
  'approve.phase.reading': '명세를 읽는 중',
  'approve.phase.asking': '승인을 기다리는 중',
  'approve.phase.completed': '승인됨',
  'approve.status.file': '명세',
  'approve.title': '승인',
  'approve.decide': '{path}의 내용을 만들면 될까요?',
  'approve.why':
    '이 명세를 만드는 실행은 모든 기준 번호를 지켜야 하며, 이후에는 아무도 내용을 바꿀 수 없습니다.',
  'approve.criteria':
    '{n, plural, =0 {제목이나 목록 첫머리에 AC-1과 같은 기준 번호가 없습니다.} other {기준 #개: {ids}}}',
  'approve.approve': '승인',
  'approve.approve.leads': '바로 이 내용만 만들 수 있습니다. 이름, 시각, 해시를 남깁니다',
  'approve.stop': '멈춤',
  'approve.stop.leads': '아무것도 승인하지 않습니다',
  'approve.notice.approved': '{by} 님이 승인했습니다: {hash}. 만들기: baton deliver --from-spec {path}',
  'approve.notice.stopped': '멈췄습니다. 승인한 것은 없습니다.',
  'approve.notice.abandoned': '{by} 님이 그만두었습니다.',
  'approve.halt.unreadable': '{path} 파일을 읽을 수 없습니다: {detail} ({code}). 이어 하면 다시 시도합니다.',
  'approve.not_halted': '{command}: 멈춰 있지 않아 다시 시작할 것이 없습니다.',
};

export const approveMessages = { en, ko } as const;

export function say(msg: Id, args: Readonly<Record<string, string | number>> = {}): Msg {
  return { msg, args };
}
