/** Words of the gates: titles, options, and the lines the engine itself adds to a brief. */
const en = {
  'conduct.title.clarify': 'Clarify',
  'conduct.title.decompose': 'Decompose',
  'conduct.title.design': 'Design',
  'conduct.title.plan': 'Plan',
  'conduct.title.release': 'Release',
  'conduct.title.verify': 'Verify',
  'conduct.title.umbrella': 'Verify: all children are done',
  'conduct.title.patch': 'A decision it rests on has changed',
  'conduct.title.reopen': 'Go back',
  'conduct.title.build_go': 'Start the build',
  'conduct.title.approval': 'An approving review is missing',
  'conduct.title.round': 'Questions',
  'conduct.title.trouble': 'A worker did not bring it on',

  'conduct.accept': 'Accept',
  'conduct.accept.clarify':
    "the criteria shown are the ticket's, and it moves on; a text goes along as a remark for later gates",
  'conduct.accept.decompose':
    'the children shown are made, or it stays in one piece; a text goes along as a remark for later gates',
  'conduct.accept.design':
    'this is the design, and the ticket moves on; a text goes along as a remark for later gates',
  'conduct.accept.plan':
    'the build starts, in a clone of its own; a text goes along as a remark for later gates',
  'conduct.accept.patch': 'the ticket is brought up to date as shown and no longer counts as stale',
  'conduct.reshape': 'Reshape',
  'conduct.reshape.leads': 'say what should be different; it is drafted again and comes back to you',
  'conduct.edit': 'Edit',
  'conduct.edit.leads':
    'change the brief yourself, as JSON such as {example}; nobody is called, nothing moves',
  'conduct.deny': 'Deny',
  'conduct.deny.leads': 'the ticket is parked; with a reason it also becomes an entry to come back to',
  'conduct.release.leads': 'it is merged and deployed',
  'conduct.verify.leads': 'the ticket is Verified and ends',
  'conduct.back': 'Go back',
  'conduct.back.leads': 'say what is wrong; the ticket goes back and is built again',
  'conduct.patch.deny.leads': 'the ticket stays as it is and no longer counts as stale; your reason is kept',
  'conduct.reopen.leads': 'the ticket goes back, and the decisions made since are superseded',
  'conduct.reopen.deny.leads': 'nothing changes',
  'conduct.build_go.leads': 'the build starts',
  'conduct.look_again': 'Look again',
  'conduct.look_again.leads': 'the review is looked for again',
  'conduct.answer': 'Answer',
  'conduct.answer.leads': 'the answers go to whoever asked, and the work goes on',
  'conduct.retry': 'Try again',
  'conduct.retry.leads': 'the same step is done again',
  'conduct.park': 'Park',

  'conduct.tail': 'accept / reshape "what should be different" / edit / deny',
  'conduct.banner.deliverable': 'Accepting this ends the ticket: it asks for a decision, and this is it.',
  'conduct.context.gap': 'The ledger does not say: {gap}',
  'conduct.context.criterion': 'Acceptance criterion: {text}',
  'conduct.context.child': 'New child {key}: {title}',
  'conduct.context.child_there': 'Child that exists already: {title}',
  'conduct.context.no_split': 'No split: it stays one piece of work.',
  'conduct.context.track': 'Track {track} of {required}',
  'conduct.context.step': 'Step: {text}',
  'conduct.context.superseded':
    '{by, select, none {{id} was retired without a successor.} other {{id} was superseded by {by}.}}',
  'conduct.context.pull': 'Pull request {url} into {base}',
  'conduct.context.diff': 'The change: git diff HEAD...{branch}',
  'conduct.context.build': 'What it rests on: baton show {build} evidence',
  'conduct.context.checks':
    '{state, select, none {The code host has no checks.} passed {Checks passed: {list}} failed {CHECKS FAILED: {list}} other {Checks have not all reported: {list}}}',
  'conduct.context.checks_unreadable':
    'The checks of the code host could not be read ({why}). Results on this machine do not stand in for them.',
  'conduct.context.classes': 'Risk classes of this change: {classes}',
  'conduct.context.no_classes': 'Risk classes of this change: none',
  'conduct.context.altered': 'The change alters how it is checked. Look at that part of the diff yourself.',
  'conduct.context.evidence':
    'Evidence: tests {tests, select, yes {ran} exempt {exempt by a person} children {ran in the children} other {DID NOT RUN}}; criteria checked {criteria}; pull request {pull, select, yes {pushed} children {of the children} other {MISSING}}',
  'conduct.context.observed': '{ok, select, yes {Seen running} other {SEEN FAILING}}: {output}',
  'conduct.context.runbook': '{id} {text}: {steps}',
  'conduct.context.runbook_unverifiable': '{id} {text}: CANNOT BE VERIFIED HERE; {steps}',
  'conduct.context.runbook_changed': '{id} {text}: changed since; look yourself',

  'conduct.build_go.decide':
    'Start to build {run}? The plan was accepted for you{decision, select, none {} other { ({decision})}}, and the build was to wait for you.',
  'conduct.umbrella.decide': 'All children of {run} are verified. Is {run} done?',
  'conduct.umbrella.tail': 'baton conduct {run} drafts a runbook first, if you want one.',
  'conduct.reopen.decide': 'Go back with {run} to {to}?',
  'conduct.reopen.hops': 'Steps back: {hops}',
  'conduct.reopen.superseded': 'Decisions of this ticket so far: {list}',
  'conduct.reopen.fate': 'Child {id}: {fate, select, cancel {is cancelled} other {stays}}',
  'conduct.approval.decide':
    'The pull request of {run} was opened by a bot and needs an approving review before it can be merged.',
  'conduct.round.decide':
    '{by, select, engine {Before it goes on} other {Before it can draft ({by})}} {n, plural, one {a question needs} other {# questions need}} your answer.',
  'conduct.trouble.decide': 'What should happen with {run}: {what} did not bring it on.',
  'conduct.trouble.fault':
    '{fault, select, worker_timeout {It did not end in time} dirty_exit {It ended badly} no_progress {It ended and nothing had changed} repo_active_board_silent {It changed the branch, but not the ticket} other {The world said no}}: {detail}',
  'conduct.trouble.stays': '{run} stays {phase}. Nothing was lost.',
  'conduct.ask.criteria':
    'There is no acceptance criterion, so nobody could tell when it is done. Name at least one; one a line.',
  'conduct.ask.tests':
    'The build ran no check at all. Why is that all right? Your reason is kept as the exemption.',
  'conduct.ask.pulls':
    'There is more than one open pull request ({list}). Close all but one (git push origin --delete refs/baton/pull/<n>/head refs/baton/pull/<n>/data), then say so here.',
} as const;

const ko = {
  'conduct.title.clarify': '명확히 하기',
  'conduct.title.decompose': '나누기',
  'conduct.title.design': '설계',
  'conduct.title.plan': '계획',
  'conduct.title.release': '릴리스',
  'conduct.title.verify': '확인',
  'conduct.title.umbrella': '확인: 하위 티켓이 모두 끝났습니다',
  'conduct.title.patch': '이 티켓이 근거로 삼은 결정이 바뀌었습니다',
  'conduct.title.reopen': '되돌아가기',
  'conduct.title.build_go': '빌드 시작',
  'conduct.title.approval': '승인 리뷰가 없습니다',
  'conduct.title.round': '질문',
  'conduct.title.trouble': '작업자가 진행하지 못했습니다',

  'conduct.accept': '수락',
  'conduct.accept.clarify':
    '보이는 기준이 티켓의 기준이 되고 다음으로 갑니다. 글을 적으면 뒤의 게이트에 전달됩니다',
  'conduct.accept.decompose':
    '보이는 하위 티켓을 만들거나 나누지 않습니다. 글을 적으면 뒤의 게이트에 전달됩니다',
  'conduct.accept.design': '이 설계로 정하고 다음으로 갑니다. 글을 적으면 뒤의 게이트에 전달됩니다',
  'conduct.accept.plan': '따로 복제한 곳에서 빌드를 시작합니다. 글을 적으면 뒤의 게이트에 전달됩니다',
  'conduct.accept.patch': '보이는 대로 티켓을 새로 맞추고 더는 낡은 것으로 보지 않습니다',
  'conduct.reshape': '다시 쓰기',
  'conduct.reshape.leads': '무엇이 달라야 하는지 적으면 새로 작성되어 다시 돌아옵니다',
  'conduct.edit': '직접 고치기',
  'conduct.edit.leads':
    '{example}처럼 바꿀 필드를 JSON으로 적습니다. 작업자를 부르지 않고 상태도 바뀌지 않습니다',
  'conduct.deny': '거절',
  'conduct.deny.leads': '티켓을 보류합니다. 이유를 적으면 나중에 다시 볼 항목으로 남습니다',
  'conduct.release.leads': '병합하고 배포합니다',
  'conduct.verify.leads': '티켓이 Verified가 되고 끝납니다',
  'conduct.back': '되돌아가기',
  'conduct.back.leads': '무엇이 잘못됐는지 적으면 티켓이 되돌아가 다시 빌드됩니다',
  'conduct.patch.deny.leads': '티켓은 그대로 두고 더는 낡은 것으로 보지 않습니다. 이유는 남습니다',
  'conduct.reopen.leads': '티켓이 되돌아가고 그 뒤의 결정은 대체됩니다',
  'conduct.reopen.deny.leads': '아무것도 바뀌지 않습니다',
  'conduct.build_go.leads': '빌드를 시작합니다',
  'conduct.look_again': '다시 보기',
  'conduct.look_again.leads': '리뷰가 있는지 다시 봅니다',
  'conduct.answer': '답하기',
  'conduct.answer.leads': '답이 물어본 쪽에 전달되고 작업이 계속됩니다',
  'conduct.retry': '다시 시도',
  'conduct.retry.leads': '같은 단계를 다시 합니다',
  'conduct.park': '보류',

  'conduct.tail': 'accept / reshape "달라야 할 점" / edit / deny',
  'conduct.banner.deliverable': '수락하면 티켓이 끝납니다. 결정을 구하는 티켓이고, 이것이 그 결정입니다.',
  'conduct.context.gap': '원장에 없는 것: {gap}',
  'conduct.context.criterion': '수락 기준: {text}',
  'conduct.context.child': '새 하위 티켓 {key}: {title}',
  'conduct.context.child_there': '이미 있는 하위 티켓: {title}',
  'conduct.context.no_split': '나누지 않음: 하나의 작업으로 둡니다.',
  'conduct.context.track': '트랙 {track} (전체: {required})',
  'conduct.context.step': '단계: {text}',
  'conduct.context.superseded':
    '{by, select, none {{id}이(가) 후속 없이 폐기되었습니다.} other {{id}이(가) {by}(으)로 대체되었습니다.}}',
  'conduct.context.pull': '풀 리퀘스트 {url} -> {base}',
  'conduct.context.diff': '변경 내용: git diff HEAD...{branch}',
  'conduct.context.build': '근거: baton show {build} evidence',
  'conduct.context.checks':
    '{state, select, none {코드 호스트에 체크가 없습니다.} passed {체크 통과: {list}} failed {체크 실패: {list}} other {아직 보고되지 않은 체크가 있습니다: {list}}}',
  'conduct.context.checks_unreadable':
    '코드 호스트의 체크를 읽을 수 없습니다({why}). 이 기기의 결과로 대신하지 않습니다.',
  'conduct.context.classes': '이 변경의 위험 분류: {classes}',
  'conduct.context.no_classes': '이 변경의 위험 분류: 없음',
  'conduct.context.altered': '이 변경은 검사 방법을 바꿉니다. 그 부분의 diff를 직접 보세요.',
  'conduct.context.evidence':
    '증거: 테스트 {tests, select, yes {실행됨} exempt {사람이 면제함} children {하위 티켓에서 실행됨} other {실행되지 않음}}; 확인된 기준 {criteria}; 풀 리퀘스트 {pull, select, yes {푸시됨} children {하위 티켓의 것} other {없음}}',
  'conduct.context.observed': '{ok, select, yes {동작 확인} other {동작 실패}}: {output}',
  'conduct.context.runbook': '{id} {text}: {steps}',
  'conduct.context.runbook_unverifiable': '{id} {text}: 여기서 확인할 수 없음; {steps}',
  'conduct.context.runbook_changed': '{id} {text}: 그 뒤에 바뀌었습니다. 직접 확인하세요',

  'conduct.build_go.decide':
    '{run}의 빌드를 시작할까요? 계획은 대신 수락되었고{decision, select, none {} other { ({decision})}}, 빌드는 당신을 기다리기로 했습니다.',
  'conduct.umbrella.decide': '{run}의 하위 티켓이 모두 확인되었습니다. {run}도 끝났습니까?',
  'conduct.umbrella.tail': '먼저 확인 절차서를 원하면: baton conduct {run}',
  'conduct.reopen.decide': '{run}을(를) {to}(으)로 되돌릴까요?',
  'conduct.reopen.hops': '되돌아가는 단계: {hops}',
  'conduct.reopen.superseded': '지금까지 이 티켓의 결정: {list}',
  'conduct.reopen.fate': '하위 티켓 {id}: {fate, select, cancel {취소합니다} other {그대로 둡니다}}',
  'conduct.approval.decide': '{run}의 풀 리퀘스트는 봇이 열었으므로 병합하려면 승인 리뷰가 필요합니다.',
  'conduct.round.decide':
    '{by, select, engine {계속하기 전에} other {작성하기 전에 ({by})}} 질문 {n}개에 답이 필요합니다.',
  'conduct.trouble.decide': '{run}을(를) 어떻게 할까요? {what}이(가) 진행하지 못했습니다.',
  'conduct.trouble.fault':
    '{fault, select, worker_timeout {제때 끝나지 않음} dirty_exit {비정상 종료} no_progress {끝났지만 바뀐 것이 없음} repo_active_board_silent {브랜치는 바뀌었으나 티켓은 그대로} other {외부에서 거절됨}}: {detail}',
  'conduct.trouble.stays': '{run}은(는) {phase} 상태 그대로입니다. 잃은 것은 없습니다.',
  'conduct.ask.criteria':
    '수락 기준이 없어 언제 끝났는지 알 수 없습니다. 한 줄에 하나씩 적어도 하나는 적어 주세요.',
  'conduct.ask.tests':
    '빌드에서 검사가 하나도 실행되지 않았습니다. 왜 괜찮은지 적어 주세요. 면제 사유로 남습니다.',
  'conduct.ask.pulls':
    '열린 풀 리퀘스트가 둘 이상입니다({list}). 하나만 남기고 닫은 뒤(git push origin --delete refs/baton/pull/<n>/head refs/baton/pull/<n>/data) 여기에 알려 주세요.',
} as const satisfies Record<keyof typeof en, string>;

export const gateMessages = { en, ko };
