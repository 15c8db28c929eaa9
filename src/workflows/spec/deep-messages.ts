const en = {
  'spec.mode.title': 'Mode',
  'spec.mode.decide': 'How thoroughly should this specification be made?',
  'spec.mode.why': 'Both ask the same questions and end with your approval; quick costs least.',
  'spec.mode.deep_for': 'Deep is worth it where a gap in the specification would be expensive.',
  'spec.mode.figures':
    'Worker calls are counted here; cost figures need measured runs, and there are none yet.',
  'spec.mode.quick': 'quick',
  'spec.mode.quick.leads': 'one writer: 1 worker call after the questions',
  'spec.mode.deep': 'deep',
  'spec.mode.deep.leads': 'independent analysts, a synthesis and a cold critic',
  'spec.mode.deep.calls':
    '{analysts} analysts, one synthesis, one critic: {calls} worker calls after the questions, at most {more} more for one revision',

  'spec.model.title': 'Model',
  'spec.model.decide': 'Which models should the workers use? This is fixed for the whole run.',
  'spec.model.decide_again':
    '"{bad}" is not understood (try {n} of 3): write it like executor:opus,advisor:sonnet (opus, sonnet or haiku). Which models should the workers use?',
  'spec.model.why':
    'Every worker of a deep specification judges rather than builds, so the advisor tier counts.',
  'spec.model.last': 'One more form that cannot be read takes the preset balanced.',
  'spec.model.default': 'default',
  'spec.model.default.leads': 'the own model of the agent for every worker',
  'spec.model.all-opus': 'all-opus',
  'spec.model.all-opus.leads': 'opus for every worker',
  'spec.model.balanced': 'balanced',
  'spec.model.balanced.leads': 'opus for every worker that judges, which here are all of them',
  'spec.model.economy': 'economy',
  'spec.model.economy.leads': 'sonnet for every worker',
  'spec.model.custom': 'custom',
  'spec.model.custom.leads':
    'write it like executor:opus,advisor:sonnet (opus, sonnet or haiku); you confirm what was read',
  'spec.model.confirm.title': 'Model, confirm',
  'spec.model.confirm.decide': 'Use these models? executor {executor}, advisor {advisor}.',
  'spec.model.confirm.use': 'Use them',
  'spec.model.confirm.use.leads': 'every worker of this run gets the advisor tier',
  'spec.model.confirm.change': 'Change',
  'spec.model.confirm.change.leads': 'choose again',
  'spec.model_config_bad':
    '--model-config {value}: "{bad}" is not understood. Allowed: default, all-opus, balanced, economy, or a form like executor:opus,advisor:sonnet (opus, sonnet or haiku).',
  'spec.notice.models_unused': 'Models {models} are not used: quick mode has the default of the agent.',
  'spec.notice.models_bad': 'No models could be read after {n} tries: the preset balanced is used.',

  'spec.analyst.requirements_analyst': 'Requirements analysis',
  'spec.analyst.user_scenario_analyst': 'User scenario analysis',
  'spec.analyst.risk_auditor': 'Risk audit',
  'spec.analyst.tech_constraint_analyst': 'Technical constraint analysis',
  'spec.section.missing': 'Missing requirements',
  'spec.section.contradictions': 'Contradictions',
  'spec.section.assumptions': 'Implicit assumptions',
  'spec.section.business_impact': 'Business impact',
  'spec.section.scenarios': 'Scenarios per actor',
  'spec.section.edge_cases': 'Edge cases',
  'spec.section.error_scenarios': 'Error scenarios and recovery',
  'spec.section.ux': 'User experience',
  'spec.section.security': 'Security',
  'spec.section.concurrency': 'Concurrency',
  'spec.section.data_integrity': 'Data integrity',
  'spec.section.migration': 'Migration',
  'spec.section.unconfirmed_risks': 'Risks from unconfirmed answers',
  'spec.section.codebase_conflicts': 'Conflicts with the code base',
  'spec.section.convention_violations': 'Violations of conventions',
  'spec.section.schema_constraints': 'Schema constraints',
  'spec.section.operations': 'Operations',
  'spec.section.unconfirmed_constraints': 'Constraints from unconfirmed answers',
  'spec.findings.title': 'Critic findings',
  'spec.findings.none': 'The critic found nothing to object to.',
  'spec.findings.issue': 'Issue',
  'spec.findings.impact': 'Impact',
  'spec.findings.fix': 'Suggested fix',

  'spec.analysts.title': 'Analysts',
  'spec.analysts.decide':
    '{n, plural, one {The only analyst} other {All # analysts}} failed. How should it go on?',
  'spec.analysts.failed':
    '{role}: {status, select, dispatch_failed {no result} other {a result that could not be read}}',
  'spec.analysts.retry': 'Retry analysts',
  'spec.analysts.retry.leads': 'ask all analysts again',
  'spec.analysts.notes_only': 'Continue with notes only',
  'spec.analysts.notes_only.leads':
    'write the draft from the task and your answers alone; the critic still reads it',
  'spec.analysts.stop': 'Stop',
  'spec.analysts.stop.leads': 'stand still here; nothing is lost, and resume shows this question again',

  'spec.critic.title': 'Critic',
  'spec.critic.decide': 'The critic found {critical} critical, {major} major, {minor} minor. Revise once?',
  'spec.critic.decide_second':
    'After the revision the critic found {critical} critical, {major} major, {minor} minor. Go on as it is?',
  'spec.critic.decide_unreadable':
    'The answer of the critic could not be read, so nobody knows what it found. Go on without it?',
  'spec.critic.item': '{id} {title}',
  'spec.critic.more': '{n} more are in critic_findings.',
  'spec.critic.once': 'A revision is made once per pass, so none is left.',
  'spec.critic.unreadable_kept': 'What came is kept as critic_findings.',
  'spec.critic.not_addressed': 'The revision answers nowhere: {ids}.',
  'spec.critic.auto_revise': 'Auto-revise',
  'spec.critic.auto_revise.leads': 'one new synthesis with these findings, then a second look',
  'spec.critic.modify': 'Modify',
  'spec.critic.modify.leads':
    'say what to change; one new synthesis with that and the findings, then a second look',
  'spec.critic.approve': 'Approve as-is',
  'spec.critic.approve.leads': 'go to the approval gate with the findings shown',
  'spec.critic.stop': 'Stop',
  'spec.critic.stop.leads': 'halt here with everything kept; you may ask again, restart or give it up later',
  'spec.halt.critic':
    '{reason, select, user_stopped {The second review of the critic was stopped by you.} parse_failed_halted {The answer of the critic could not be read, and you stopped there.} re_synthesis_failed {The revision failed: no valid specification came.} other {The critic flow was halted.}} Everything is kept.',
  'spec.resume_not_now':
    '{command}: the critic flow is halted and goes on only by --reopen, --restart or --abandon. Nothing was changed.',

  'spec.approval.critic':
    'The critic counted {critical} critical, {major} major, {minor} minor{round, plural, =0 {} other { after one revision}}.',
  'spec.approval.critic_empty': 'The analysts found nothing, so no critic was called.',
  'spec.approval.findings': 'Findings of the critic, whole in critic_findings:',
  'spec.approval.no_findings': 'There are no findings to look at.',
  'spec.approval.reason':
    '{reason, select, dispatch_failed {NO QUALITY REVIEW TOOK PLACE: the critic gave no result{round, plural, =0 {} other { for the revised draft}}.} parse_failed_approved {NOT REVIEWED: the answer of the critic could not be read, and it was passed over by a person.} parse_failed_halted {The answer of the critic could not be read.} re_synthesis_failed {The revision failed.} user_stopped {The second review was stopped by a person.} other {The critic flow was broken.}}',

  'spec.notice.analysing':
    '{n, plural, one {# analyst reads} other {# analysts read}} the task{pass, plural, =1 {} other { (pass #)}}.',
  'spec.notice.analyst_failed':
    'Analyst {role} failed after {attempts, plural, one {# try} other {# tries}}: {reason, select, dispatch_failed {it gave no result} other {its result could not be read; its text still goes to the synthesis}} ({detail}).',
  'spec.notice.analysts_done': 'Analysts done: {ok} of {of} usable, {found} with findings.',
  'spec.notice.nothing_found': 'No analyst found anything: the critic is passed over.',
  'spec.notice.retry_analysts': 'The analysts are asked again.',
  'spec.notice.notes_only': 'Going on without analyses: the draft rests on the notes alone.',
  'spec.notice.synthesised':
    'Draft written: {criteria, plural, one {# criterion} other {# criteria}}. The critic reads it.',
  'spec.notice.critic': 'Critic: {critical} critical, {major} major, {minor} minor.',
  'spec.notice.critic_failed':
    'The critic gave no result after {attempts, plural, one {# try} other {# tries}}. No quality review took place.',
  'spec.notice.critic_unreadable':
    'The answer of the critic could not be read after {attempts, plural, one {# try} other {# tries}}. You decide.',
  'spec.notice.revising':
    'Revising once with the findings{request, select, yes { and your request} other {}}.',
  'spec.notice.cite_again': 'The revision answers nowhere: {ids}. It is asked for once more.',
  'spec.notice.not_addressed': 'Still answered nowhere: {ids}. The gates show it.',
  'spec.notice.revised':
    'Revision written: {criteria, plural, one {# criterion} other {# criteria}}. The critic reads it again.',
  'spec.notice.passed': 'Passed over the critic as it is, decided by {by}.',
  'spec.notice.reopened': 'Asking again after the halt; all earlier answers are kept.',
  'spec.notice.rounds_used': 'All three question rounds are used; the answers stay as they are.',
} as const;

/** An id of deep mode's own catalogue. */
export type DeepMessageId = keyof typeof en;

const ko = {
  'spec.mode.title': '모드',
  'spec.mode.decide': '명세를 얼마나 꼼꼼하게 만들까요?',
  'spec.mode.why': '둘 다 같은 질문을 하고 승인으로 끝납니다. quick이 가장 적게 듭니다.',
  'spec.mode.deep_for': '명세의 빈틈이 큰 손해가 되는 일에는 deep이 낫습니다.',
  'spec.mode.figures':
    '여기서는 작업자 호출 수를 보여 드립니다. 비용은 측정한 실행이 있어야 나오는데 아직 없습니다.',
  'spec.mode.quick': 'quick',
  'spec.mode.quick.leads': '작성자 하나: 질문 뒤 작업자 호출 1번',
  'spec.mode.deep': 'deep',
  'spec.mode.deep.leads': '서로 독립된 분석가들, 종합, 내용을 처음 보는 비평',
  'spec.mode.deep.calls':
    '분석가 {analysts}명, 종합 하나, 비평 하나: 질문 뒤 작업자 호출 {calls}번, 한 번 고칠 때 많아야 {more}번 더',

  'spec.model.title': '모델',
  'spec.model.decide': '작업자들이 어떤 모델을 쓸까요? 이 실행이 끝날 때까지 바뀌지 않습니다.',
  'spec.model.decide_again':
    '"{bad}"은(는) 알 수 없습니다({n}/3번째). executor:opus,advisor:sonnet처럼 적어 주세요(opus, sonnet, haiku). 작업자들이 어떤 모델을 쓸까요?',
  'spec.model.why': 'deep 명세의 작업자는 모두 만들기보다 판단하는 일을 하므로 advisor 등급이 중요합니다.',
  'spec.model.last': '한 번 더 읽을 수 없으면 balanced를 씁니다.',
  'spec.model.default': 'default',
  'spec.model.default.leads': '모든 작업자가 에이전트의 기본 모델을 씁니다',
  'spec.model.all-opus': 'all-opus',
  'spec.model.all-opus.leads': '모든 작업자가 opus를 씁니다',
  'spec.model.balanced': 'balanced',
  'spec.model.balanced.leads': '판단하는 작업자가 opus를 씁니다. 여기서는 모두입니다',
  'spec.model.economy': 'economy',
  'spec.model.economy.leads': '모든 작업자가 sonnet을 씁니다',
  'spec.model.custom': 'custom',
  'spec.model.custom.leads':
    'executor:opus,advisor:sonnet처럼 적습니다(opus, sonnet, haiku). 읽은 내용을 확인해 드립니다',
  'spec.model.confirm.title': '모델 확인',
  'spec.model.confirm.decide': '이 모델을 쓸까요? executor {executor}, advisor {advisor}.',
  'spec.model.confirm.use': '사용',
  'spec.model.confirm.use.leads': '이 실행의 모든 작업자가 advisor 등급을 씁니다',
  'spec.model.confirm.change': '변경',
  'spec.model.confirm.change.leads': '다시 고릅니다',
  'spec.model_config_bad':
    '--model-config {value}: "{bad}"은(는) 알 수 없습니다. 쓸 수 있는 값: default, all-opus, balanced, economy, 또는 executor:opus,advisor:sonnet 같은 형식(opus, sonnet, haiku).',
  'spec.notice.models_unused': '모델 {models}은(는) 쓰지 않습니다. quick 모드는 에이전트의 기본값을 씁니다.',
  'spec.notice.models_bad': '{n}번 모두 모델을 읽을 수 없어 balanced를 씁니다.',

  'spec.analyst.requirements_analyst': '요구 사항 분석',
  'spec.analyst.user_scenario_analyst': '사용자 시나리오 분석',
  'spec.analyst.risk_auditor': '위험 점검',
  'spec.analyst.tech_constraint_analyst': '기술 제약 분석',
  'spec.section.missing': '빠진 요구 사항',
  'spec.section.contradictions': '모순',
  'spec.section.assumptions': '말하지 않은 가정',
  'spec.section.business_impact': '업무 영향',
  'spec.section.scenarios': '참여자별 시나리오',
  'spec.section.edge_cases': '예외 상황',
  'spec.section.error_scenarios': '오류 상황과 복구',
  'spec.section.ux': '사용자 경험',
  'spec.section.security': '보안',
  'spec.section.concurrency': '동시성',
  'spec.section.data_integrity': '데이터 무결성',
  'spec.section.migration': '이전',
  'spec.section.unconfirmed_risks': '미확인 답변에서 오는 위험',
  'spec.section.codebase_conflicts': '기존 코드와의 충돌',
  'spec.section.convention_violations': '규칙 위반',
  'spec.section.schema_constraints': '스키마 제약',
  'spec.section.operations': '운영',
  'spec.section.unconfirmed_constraints': '미확인 답변에서 오는 제약',
  'spec.findings.title': '비평 결과',
  'spec.findings.none': '비평가가 지적한 것이 없습니다.',
  'spec.findings.issue': '문제',
  'spec.findings.impact': '영향',
  'spec.findings.fix': '고칠 방법',

  'spec.analysts.title': '분석가',
  'spec.analysts.decide': '분석가 {n}명이 모두 실패했습니다. 어떻게 할까요?',
  'spec.analysts.failed': '{role}: {status, select, dispatch_failed {결과 없음} other {읽을 수 없는 결과}}',
  'spec.analysts.retry': '분석 다시 하기',
  'spec.analysts.retry.leads': '모든 분석가에게 다시 맡깁니다',
  'spec.analysts.notes_only': '답변만으로 계속',
  'spec.analysts.notes_only.leads': '작업과 답변만으로 초안을 씁니다. 비평은 그대로 합니다',
  'spec.analysts.stop': '중단',
  'spec.analysts.stop.leads': '여기서 멈춥니다. 잃는 것은 없고, 다시 시작하시면 이 질문이 다시 나옵니다',

  'spec.critic.title': '비평',
  'spec.critic.decide': '비평 결과: Critical {critical}개, Major {major}개, Minor {minor}개. 한 번 고칠까요?',
  'spec.critic.decide_second':
    '고친 뒤의 비평 결과: Critical {critical}개, Major {major}개, Minor {minor}개. 이대로 갈까요?',
  'spec.critic.decide_unreadable':
    '비평가의 답을 읽을 수 없어 무엇을 찾았는지 알 수 없습니다. 비평 없이 갈까요?',
  'spec.critic.item': '{id} {title}',
  'spec.critic.more': '{n}개가 critic_findings에 더 있습니다.',
  'spec.critic.once': '고치는 것은 한 번뿐이라 더는 고칠 수 없습니다.',
  'spec.critic.unreadable_kept': '받은 글은 critic_findings로 남아 있습니다.',
  'spec.critic.not_addressed': '고친 글 어디에도 답이 없는 항목: {ids}.',
  'spec.critic.auto_revise': '자동 수정',
  'spec.critic.auto_revise.leads': '이 지적을 넣어 한 번 다시 쓰고, 한 번 더 비평합니다',
  'spec.critic.modify': '수정',
  'spec.critic.modify.leads': '바꿀 내용을 적으면 지적과 함께 한 번 다시 쓰고, 한 번 더 비평합니다',
  'spec.critic.approve': '이대로 통과',
  'spec.critic.approve.leads': '지적을 보여 주며 승인 단계로 갑니다',
  'spec.critic.stop': '중단',
  'spec.critic.stop.leads':
    '모두 그대로 두고 멈춥니다. 나중에 다시 묻거나, 새로 시작하거나, 포기할 수 있습니다',
  'spec.halt.critic':
    '{reason, select, user_stopped {두 번째 비평에서 중단하셨습니다.} parse_failed_halted {비평가의 답을 읽을 수 없었고, 거기서 중단하셨습니다.} re_synthesis_failed {고쳐 쓰기에 실패했습니다. 올바른 명세가 나오지 않았습니다.} other {비평이 멈췄습니다.}} 모두 그대로 있습니다.',
  'spec.resume_not_now':
    '{command}: 비평에서 멈춘 실행은 --reopen, --restart, --abandon으로만 움직입니다. 바뀐 것은 없습니다.',

  'spec.approval.critic':
    '비평 결과{round, plural, =0 {} other {(한 번 고친 뒤)}}: Critical {critical}개, Major {major}개, Minor {minor}개.',
  'spec.approval.critic_empty': '분석가들이 찾은 것이 없어 비평을 하지 않았습니다.',
  'spec.approval.findings': '비평가의 지적입니다. 전체는 critic_findings에 있습니다:',
  'spec.approval.no_findings': '볼 수 있는 지적이 없습니다.',
  'spec.approval.reason':
    '{reason, select, dispatch_failed {품질 검토를 하지 못했습니다: 비평가가 {round, plural, =0 {} other {고친 초안에 대해 }}결과를 주지 않았습니다.} parse_failed_approved {검토되지 않았습니다: 비평가의 답을 읽을 수 없었고, 사람이 통과시켰습니다.} parse_failed_halted {비평가의 답을 읽을 수 없었습니다.} re_synthesis_failed {고쳐 쓰기에 실패했습니다.} user_stopped {두 번째 비평을 사람이 중단했습니다.} other {비평이 제대로 끝나지 않았습니다.}}',

  'spec.notice.analysing': '분석가 {n}명이 작업을 읽습니다{pass, plural, =1 {} other { (#번째)}}.',
  'spec.notice.analyst_failed':
    '분석가 {role} 실패({attempts}번 시도): {reason, select, dispatch_failed {결과가 없습니다} other {결과를 읽을 수 없습니다. 글은 그대로 종합에 넘깁니다}} ({detail}).',
  'spec.notice.analysts_done': '분석 끝: {of}명 중 {ok}명 사용 가능, {found}명이 찾은 것이 있습니다.',
  'spec.notice.nothing_found': '분석가들이 찾은 것이 없어 비평을 건너뜁니다.',
  'spec.notice.retry_analysts': '분석가들에게 다시 맡깁니다.',
  'spec.notice.notes_only': '분석 없이 진행합니다. 초안은 답변에만 기댑니다.',
  'spec.notice.synthesised': '초안을 썼습니다: 기준 {criteria}개. 비평가가 읽습니다.',
  'spec.notice.critic': '비평: Critical {critical}개, Major {major}개, Minor {minor}개.',
  'spec.notice.critic_failed':
    '비평가가 {attempts}번 모두 결과를 주지 않았습니다. 품질 검토를 하지 못했습니다.',
  'spec.notice.critic_unreadable': '비평가의 답을 {attempts}번 모두 읽을 수 없었습니다. 판단해 주세요.',
  'spec.notice.revising': '지적{request, select, yes {과 요청} other {}}을 넣어 한 번 고쳐 씁니다.',
  'spec.notice.cite_again': '고친 글 어디에도 답이 없는 항목: {ids}. 한 번 더 맡깁니다.',
  'spec.notice.not_addressed': '여전히 답이 없는 항목: {ids}. 다음 질문에서 보여 드립니다.',
  'spec.notice.revised': '고쳐 썼습니다: 기준 {criteria}개. 비평가가 다시 읽습니다.',
  'spec.notice.passed': '{by} 님의 결정으로 비평을 이대로 통과합니다.',
  'spec.notice.reopened': '멈춘 뒤 다시 묻습니다. 앞선 답변은 그대로입니다.',
  'spec.notice.rounds_used': '질문 세 라운드를 모두 썼습니다. 답변은 그대로입니다.',
} as const satisfies Record<DeepMessageId, string>;

/** What deep mode says. A key missing from a language does not compile. */
export const deepMessages = { en, ko };
