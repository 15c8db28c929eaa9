import type { Msg } from '../../contract/brief.ts';
import { announceMessages } from './announce-messages.ts';
import { edgeMessages } from './edge-messages.ts';
import { gateMessages } from './gate-messages.ts';
import { overviewMessages } from './overview-messages.ts';

const en = {
  'conduct.merge': '{run} {title}',

  'conduct.status.state': 'State',
  'conduct.status.priority': 'Priority',
  'conduct.status.labels': 'Labels',
  'conduct.status.parent': 'Parent',
  'conduct.status.children': 'Children',
  'conduct.status.criteria': 'Criteria',
  'conduct.status.pull': 'Pull request',
  'conduct.status.stale': 'Stale',
  'conduct.status.stale_by': '{id} was superseded',

  'conduct.plan.line': '{gate}',
  'conduct.plan.title': 'Plan of {run}: {title}',
  'conduct.plan.criteria': 'Acceptance criteria',
  'conduct.plan.steps': 'Steps',

  'conduct.rests.new': 'Nobody conducts it yet.',
  'conduct.rests.parked': 'It is parked.',
  'conduct.rests.unparked': 'It is back where it was.',
  'conduct.rests.umbrella':
    'The work is done in {n, plural, one {its child} other {its # children}}, each conducted on its own: {list}.',
  'conduct.rests.rolled_up': 'All children are verified.',
  'conduct.rests.building': 'The build of {run} is at work.',
  'conduct.rests.checks': 'The checks of the pull request have not all reported; {run} waits for them.',
  'conduct.rests.checks_failed':
    'A check of the pull request failed; {run} stays Built and nothing was merged. Next: baton conduct {run} when it is mended',
  'conduct.rests.conflict':
    'The branch no longer merges cleanly; {run} is back at Planned and nothing was merged. Next: baton conduct {run} builds it again',
  'conduct.rests.deploy_failed':
    'The deploy failed: {detail} ({code}). {run} stays Built. Next: baton conduct {run} asks for a new word and tries again',

  'conduct.notice.created': '{run} {title}',
  'conduct.notice.moved': '{run}: {from} -> {to}',
  'conduct.notice.trouble': '{what}: {fault}. {detail}',
  'conduct.notice.asks': '{by} has {n, plural, one {a question} other {# questions}}',
  'conduct.notice.track_done': 'design track {track} is accepted',
  'conduct.notice.build_started': 'the build of {run} has started',
  'conduct.notice.merged': 'merged as {sha}',
  'conduct.notice.head_moved':
    'the pull request of {run} is not what was accepted any more; the release is asked about again',
  'conduct.notice.no_accept':
    'no accept of this build is on record for {run}; the release is asked about again',
  'conduct.notice.checks_unreadable':
    'the checks can no longer be read ({why}); the release is asked about again',
  'conduct.notice.edited': 'edited by {by}; this is draft {iteration}',
  'conduct.notice.diverges': '{why}',
  'conduct.notice.stale':
    '{run} is stale: {id}, which it rests on, was superseded. Next: baton conduct {run}',
  'conduct.notice.adopted': '{id} is now a child of {run}',
  'conduct.notice.reopened': '{run} goes back to {to}',
  'conduct.notice.not_reopened': '{run} stays where it is',

  'conduct.is_parked': '{run} is parked. Next: baton ticket unpark {run}',
  'conduct.not_parked': '{run} is not parked, so there is nothing to take up again.',
  'conduct.compose_refused': '{field}: {problem}. Nothing was changed.',
  'conduct.edit_refused':
    '{field}: {problem}. Nothing was changed. An edit is a JSON object with the fields that change ({allowed}); as they stand: {look}',
  'conduct.fates_missing':
    'Going back over the split: say what becomes of {list}: --fate <ticket>=keep or --fate <ticket>=cancel',
  'conduct.no_such_criterion': 'criterion {value} is not known. Known: {allowed}',
  'conduct.no_such_child': '{id} is not a child of this ticket.',
  'conduct.own_child': '{id} cannot be its own child.',
  'conduct.rolled_up':
    'All children of {run} are verified and it waits for its last word: it takes no more children.',
  'conduct.tracks_late': 'The tracks can be set until the design is done; the ticket is {state}.',
  'conduct.decision_only_late': 'decision-only can be set until the plan is accepted; the ticket is {state}.',
  'conduct.acknowledge_off':
    'Acknowledging a risk class is switched off. conduct.acknowledge: true in baton.yaml allows it for new tickets.',
  'conduct.acknowledge_nothing': 'Nothing on this ticket trips {class} now.',
  'conduct.no_such_edge': '{activity} does not lead out of {state}. Allowed here: {allowed}',
  'conduct.compose_captured': '{reason}: a captured ticket has no brief; conduct it first.',
  'conduct.compose_stale':
    '{reason}: the ticket is stale; only stale-patch-review and revise-scope-review are taken.',
  'conduct.compose_track': '{reason}: track is missing; product, technical or ux-ui.',
  'conduct.compose_busy': '{reason}: the ticket is busy with something else.',
  'conduct.compose_unlooked':
    '{reason}: nobody has asked the code host about this build yet; conduct the ticket first.',
  'conduct.manual_project':
    '{what}: this project is manual, so its tickets are not conducted and have no lifecycle to ask for. baton project opinionated changes that.',
  'conduct.no_brief': 'No brief of {run} waits for an answer. baton ticket show {run} tells where it stands.',
  'conduct.brief_moved':
    'That draft is no longer the one that waits: now it is {brief}, draft {iteration}. Look at it and answer that one.',
  'conduct.resolved_otherwise': '{brief} was resolved already: {was}. {command} changes nothing.',
  'conduct.no_such_brief': '{run} never had a brief "{brief}".',
  'conduct.has_parent': '{id} is a child of {parent} already. Remove it there first.',
  'conduct.above': '{id} stands above {parent}, so it cannot be its child.',
  'conduct.compose_other': '{reason}: another brief is active ({active}).',
  'conduct.compose_elsewhere': '{reason}: no brief of a ticket that is {state}.',
} as const;

const ko = {
  'conduct.merge': '{run} {title}',

  'conduct.status.state': '상태',
  'conduct.status.priority': '우선순위',
  'conduct.status.labels': '라벨',
  'conduct.status.parent': '상위 티켓',
  'conduct.status.children': '하위 티켓',
  'conduct.status.criteria': '기준',
  'conduct.status.pull': '풀 리퀘스트',
  'conduct.status.stale': '낡음',
  'conduct.status.stale_by': '{id}이(가) 대체됨',

  'conduct.plan.line': '{gate}',
  'conduct.plan.title': '{run}의 계획: {title}',
  'conduct.plan.criteria': '수락 기준',
  'conduct.plan.steps': '단계',

  'conduct.rests.new': '아직 아무도 진행하지 않습니다.',
  'conduct.rests.parked': '보류 중입니다.',
  'conduct.rests.unparked': '있던 곳으로 돌아왔습니다.',
  'conduct.rests.umbrella': '하위 티켓 {n}개가 일을 나누어 맡고 각각 진행합니다: {list}.',
  'conduct.rests.rolled_up': '하위 티켓이 모두 확인되었습니다.',
  'conduct.rests.building': '{run}을(를) 빌드하고 있습니다.',
  'conduct.rests.checks': '풀 리퀘스트의 체크가 아직 다 보고되지 않아 {run}이(가) 기다립니다.',
  'conduct.rests.checks_failed':
    '풀 리퀘스트의 체크가 실패했습니다. {run}은(는) Built 그대로이고 병합하지 않았습니다. 다음: 고친 뒤 baton conduct {run}',
  'conduct.rests.conflict':
    '브랜치가 깨끗하게 병합되지 않습니다. {run}은(는) Planned로 돌아갔고 병합하지 않았습니다. 다음: baton conduct {run}',
  'conduct.rests.deploy_failed':
    '배포 실패: {detail} ({code}). {run}은(는) Built 그대로입니다. 다음: baton conduct {run}',

  'conduct.notice.created': '{run} {title}',
  'conduct.notice.moved': '{run}: {from} -> {to}',
  'conduct.notice.trouble': '{what}: {fault}. {detail}',
  'conduct.notice.asks': '{by}의 질문 {n}개',
  'conduct.notice.track_done': '설계 트랙 {track} 수락됨',
  'conduct.notice.build_started': '{run}의 빌드를 시작했습니다',
  'conduct.notice.merged': '{sha}(으)로 병합됨',
  'conduct.notice.head_moved': '{run}의 풀 리퀘스트가 수락한 것과 다릅니다. 릴리스를 다시 묻습니다',
  'conduct.notice.no_accept': '{run}의 이 빌드를 수락한 기록이 없습니다. 릴리스를 다시 묻습니다',
  'conduct.notice.checks_unreadable': '체크를 더는 읽을 수 없습니다({why}). 릴리스를 다시 묻습니다',
  'conduct.notice.edited': '{by}이(가) 고쳤습니다. {iteration}번째 초안입니다',
  'conduct.notice.diverges': '{why}',
  'conduct.notice.stale':
    '{run}이(가) 낡았습니다: 근거인 {id}이(가) 대체되었습니다. 다음: baton conduct {run}',
  'conduct.notice.adopted': '{id}이(가) {run}의 하위 티켓이 되었습니다',
  'conduct.notice.reopened': '{run}이(가) {to}(으)로 되돌아갑니다',
  'conduct.notice.not_reopened': '{run}은(는) 그대로입니다',

  'conduct.is_parked': '{run}은(는) 보류 중입니다. 다음: baton ticket unpark {run}',
  'conduct.not_parked': '{run}은(는) 보류 중이 아니므로 다시 시작할 것이 없습니다.',
  'conduct.compose_refused': '{field}: {problem}. 아무것도 바뀌지 않았습니다.',
  'conduct.edit_refused':
    '{field}: {problem}. 바뀐 것은 없습니다. 바꿀 필드만 JSON 객체로 적습니다({allowed}). 지금 내용: {look}',
  'conduct.fates_missing':
    '나누기 앞으로 되돌아가려면 {list}을(를) 어떻게 할지 정하세요: --fate <티켓>=keep 또는 --fate <티켓>=cancel',
  'conduct.no_such_criterion': '기준 {value}을(를) 알 수 없습니다. 있는 것: {allowed}',
  'conduct.no_such_child': '{id}은(는) 이 티켓의 하위 티켓이 아닙니다.',
  'conduct.own_child': '{id}은(는) 자기 자신의 하위 티켓이 될 수 없습니다.',
  'conduct.rolled_up':
    '{run}의 하위 티켓이 모두 확인되어 마지막 답을 기다립니다. 하위 티켓을 더 받지 않습니다.',
  'conduct.tracks_late': '트랙은 설계가 끝날 때까지 정할 수 있습니다. 지금은 {state}입니다.',
  'conduct.decision_only_late':
    'decision-only는 계획을 수락하기 전까지 붙일 수 있습니다. 지금은 {state}입니다.',
  'conduct.acknowledge_off':
    '위험 분류 인정이 꺼져 있습니다. baton.yaml의 conduct.acknowledge: true로 새 티켓에 허용할 수 있습니다.',
  'conduct.acknowledge_nothing': '지금 이 티켓에서 {class}에 걸리는 것이 없습니다.',
  'conduct.no_such_edge': '{state}에서 {activity}은(는) 할 수 없습니다. 여기서 가능: {allowed}',
  'conduct.compose_captured': '{reason}: Captured 티켓에는 브리프가 없습니다. 먼저 진행하세요.',
  'conduct.compose_stale': '{reason}: 낡은 티켓은 stale-patch-review와 revise-scope-review만 받습니다.',
  'conduct.compose_track': '{reason}: track이 없습니다. product, technical, ux-ui 중 하나입니다.',
  'conduct.compose_busy': '{reason}: 티켓이 다른 일을 하고 있습니다.',
  'conduct.compose_unlooked':
    '{reason}: 이 빌드를 아직 코드 호스트에서 확인하지 않았습니다. 먼저 티켓을 진행하세요.',
  'conduct.manual_project':
    '{what}: 이 프로젝트는 manual이라 티켓을 진행하지 않으며 진행 상태로 찾을 수 없습니다. baton project opinionated로 바꿀 수 있습니다.',
  'conduct.no_brief':
    '{run}에는 답변을 기다리는 브리프가 없습니다. baton ticket show {run}으로 상태를 볼 수 있습니다.',
  'conduct.brief_moved':
    '그 초안은 이제 기다리는 초안이 아닙니다. 지금은 {brief}의 {iteration}번째 초안입니다. 보고 나서 그것에 답하세요.',
  'conduct.resolved_otherwise':
    '{brief}은(는) 이미 처리되었습니다({was}). {command}은(는) 아무것도 바꾸지 않습니다.',
  'conduct.no_such_brief': '{run}에 "{brief}" 브리프는 없었습니다.',
  'conduct.has_parent': '{id}은(는) 이미 {parent}의 하위 티켓입니다. 먼저 그곳에서 빼세요.',
  'conduct.above': '{id}은(는) {parent}의 상위에 있으므로 하위 티켓이 될 수 없습니다.',
  'conduct.compose_other': '{reason}: 다른 브리프가 열려 있습니다({active}).',
  'conduct.compose_elsewhere': '{reason}: {state} 티켓의 브리프가 아닙니다.',
} as const satisfies Record<keyof typeof en, string>;

export const conductMessages = {
  en: { ...en, ...edgeMessages.en, ...gateMessages.en, ...overviewMessages.en, ...announceMessages.en },
  ko: { ...ko, ...edgeMessages.ko, ...gateMessages.ko, ...overviewMessages.ko, ...announceMessages.ko },
};
export type ConductMessageId = keyof typeof conductMessages.en;

export function say(msg: ConductMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
