import type { Msg } from '../../contract/brief.ts';
import { conventionMessages } from '../common/convention-messages.ts';
import { measuredMessages } from '../common/measured.ts';
import { type DeepMessageId, deepMessages } from './deep-messages.ts';
import { fileMessages } from './file-messages.ts';

const en = {
  'spec.phase.setup': 'Setup - initializing',
  'spec.phase.convention_scan_active': 'Convention scan - running',
  'spec.phase.qa_active': 'Q&A - discovering requirements',
  'spec.phase.qa_complete': 'Q&A complete - ready for generation',
  'spec.phase.gen_ready': 'Generating specification',
  'spec.phase.critic_active': 'Critic - reviewing spec',
  'spec.phase.re_synthesis_active': 'Re-synthesis - second round',
  'spec.phase.re_critic_active': 'Re-critic - second round',
  'spec.phase.critic_complete': 'Critic complete - awaiting approval',
  'spec.phase.critic_halted': 'Critic flow halted - needs a human',
  'spec.phase.spec_ready': 'Spec ready - awaiting approval',
  'spec.phase.completed': 'Completed',

  'spec.status.skill': 'workflow',
  'spec.status.task': 'task',
  'spec.status.mode': 'mode',
  'spec.status.preset': 'models',
  'spec.status.phase': 'phase',
  'spec.status.round': 'Q&A round',
  'spec.status.branch': 'branch',
  'spec.status.output': 'output',

  'spec.model_config_quick':
    '--model-config {value}: only deep mode has a model preset. Leave it out; quick mode uses the default of the agent.',

  'spec.session.title': 'Session',
  'spec.session.decide': 'Run {run} already works on {subject}. Go on with it?',
  'spec.session.other': 'It is about: {title}',
  'spec.session.phase':
    'It stands at: {phase, select, setup {setup} convention_scan_active {conventions} qa_active {questions} qa_complete {questions answered} gen_ready {writing the draft} critic_active {critic} re_synthesis_active {second synthesis} re_critic_active {second critic} critic_complete {critic done} critic_halted {critic halted} spec_ready {approval} completed {completed} other {unknown}}',
  'spec.session.resume': 'Resume',
  'spec.session.resume.leads': 'go on with the earlier run; this one is withdrawn',
  'spec.session.resume.phase':
    '{phase, select, setup {go on with its setup} convention_scan_active {go on with its convention step, from its start} qa_active {go on with its open question round; the answers are kept} qa_complete {go on with writing the draft; the answers are kept} gen_ready {go on with writing the draft; the answers are kept} critic_active {go on with the critic} re_synthesis_active {go on with the second synthesis} re_critic_active {go on with the second critic} critic_complete {go on to its approval gate} critic_halted {only shows why it was halted; nothing goes on by itself} spec_ready {go on at its approval gate with the stored draft} completed {go on at its last question} other {go on where it stands}}; the task you typed now is not used',
  'spec.session.restart': 'Restart',
  'spec.session.restart.leads':
    'give up the earlier run for good (its log is kept), then go on with this one',
  'spec.session.stop': 'Stop',
  'spec.session.stop.leads': 'give up the earlier run for good (its log is kept) and start nothing new',
  'spec.session.view': 'View only',
  'spec.session.view.leads': 'show the earlier run and change nothing; this run is withdrawn',
  'spec.session.waiting': 'Waiting for run {run} to end.',

  'spec.routing.title': 'Routing',
  'spec.routing.decide':
    '{kind, select, improve {This looks like improving working code.} implement {This looks like building an existing spec.} understand {This looks like understanding code.} other {This may not be a spec request.}} Write a specification anyway?',
  'spec.routing.why':
    '{kind, select, improve {The workflow deliver is made for that: it plans a change, makes it and checks it.} implement {The workflow deliver is made for that. A spec of several phases will be for autopilot, which is not installed yet.} understand {No workflow of Baton explains code.} other {No better workflow is known.}}',
  'spec.routing.seen': 'A spec run asks questions and ends with a document; it changes no code.',
  'spec.routing.continue': 'Continue with spec',
  'spec.routing.continue.leads': 'go on with this task as it is',
  'spec.routing.deliver': 'Use deliver',
  'spec.routing.deliver.leads': 'start deliver with the same task; this run is withdrawn and leaves no trace',
  'spec.routing.from_spec':
    'For a spec that Baton wrote, stop here and give its run or its folder: {command}',
  'spec.routing.stop': 'Stop',
  'spec.routing.stop.leads': 'withdraw this run; it leaves no trace',

  'spec.collision.title': 'Slug collision',
  'spec.collision.decide': '{path} already holds documents. Where should the new ones go?',
  'spec.collision.found': 'Found there: {files}',
  'spec.collision.why': 'A new name destroys nothing.',
  'spec.collision.timestamp': 'Append timestamp',
  'spec.collision.timestamp.leads': 'use a new name with the time in it',
  'spec.collision.overwrite': 'Overwrite',
  'spec.collision.overwrite.leads': 'replace the old documents, but only after you approve the new spec',
  'spec.collision.stop': 'Stop',
  'spec.collision.stop.leads': 'withdraw this run; it leaves no trace',
  'spec.notice.timestamped': '{path} already holds documents; this run uses the name {slug}.',

  'spec.questions.title': 'Questions',
  'spec.questions.decide':
    '{n, plural, one {# question} other {# questions}} before the spec (round {round} of {of}).',
  'spec.questions.task': 'Task: {task}',
  'spec.questions.open': 'A question left open, or answered with "not sure", is marked [unconfirmed].',
  'spec.questions.answer': 'Answer',
  'spec.questions.answer.leads': 'answer them one by one; what is left open is marked [unconfirmed]',
  'spec.questions.skip': 'Skip',
  'spec.questions.skip.leads': 'use best judgement: every question is marked [unconfirmed]',
  'spec.questions.no_more': 'No more questions',
  'spec.questions.no_more.leads': 'write the spec now; these questions are marked [unconfirmed]',
  'spec.questions.confirm': 'Is the task complete as written, or is there something the spec must also say?',
  'spec.questions.confirm.why':
    'no other question is open; this is the last chance to add something before writing',

  'spec.approval.title': 'Approval',
  'spec.approval.decide':
    'Approve this specification? {criteria, plural, one {# criterion} other {# criteria}}, {unconfirmed, plural, =0 {nothing unconfirmed} other {# unconfirmed}}.',
  'spec.approval.complete': 'All seven parts are filled and every criterion has given, when and then.',
  'spec.approval.no_critic': 'Quick mode: no second reader has looked at it.',
  'spec.approval.unconfirmed': 'an answer to {id}, or read what rests on it and accept it unconfirmed',
  'spec.approval.requests':
    '{n, plural, one {# change was} other {# changes were}} asked for so far, oldest first:',
  'spec.approval.requests_cut': 'The oldest {n} are not listed here; the log has them.',
  'spec.approval.request': '{n}. {text}',
  'spec.approval.code':
    'The draft holds code in: {parts}. A specification states requirements only; ask for a change if it matters.',
  'spec.approval.output': 'Approving writes {path}',
  'spec.approval.approve': 'Approve',
  'spec.approval.approve.leads': 'settle the specification and store the documents',
  'spec.approval.modify': 'Modify',
  'spec.approval.modify.leads': 'say what to change; a new draft is written and shown here',
  'spec.approval.stop': 'Stop',
  'spec.approval.stop.leads': 'end here; nothing is handed on and the draft stays in the record',

  'spec.next.title': 'Next step',
  'spec.next.decide': 'Start deliver with {path} now?',
  'spec.next.why': 'The approved specification and its documents are all deliver needs.',
  'spec.next.documents': 'Stored in {path}: {files}',
  'spec.next.branch': 'On branch {branch}. To take it over: {merge}',
  'spec.next.open': 'This question stays open: another day or another terminal is fine.',
  'spec.next.start_deliver': 'Start deliver',
  'spec.next.start_deliver.leads': 'build it in a new run that starts from this specification',
  'spec.next.done': 'Done',
  'spec.next.done.leads': 'end here; deliver can be started from this specification on any later day',

  'spec.halt.integrity':
    'Conventions are unset although the questions are done. Nothing is dispatched. Resume runs the convention step first; your answers are kept.',
  'spec.halt.generation':
    'No valid specification came after {attempts, plural, one {# try} other {# tries}} ({reason, select, dispatch_failed {no result at all} other {no result that fits}}). Resume writes it again; your answers are kept.',
  'spec.halt.failed': '{what} failed: {detail} ({code}). Everything is kept; resume tries it again.',
  'spec.not_halted': '{command}: the run is not halted, so there is nothing to lift.',
  'spec.reopen_not_now': '{command}: only a run halted by the critic can be asked again.',

  'spec.notice.setup':
    'Setup done: {branch, select, none {} other {branch {branch}, }}mode {mode}{models, select, none {} other {, models {models}}}, output {output}.',
  'spec.notice.round': 'Round {round} of {of}: {n, plural, one {# question} other {# questions}}.',
  'spec.notice.cut':
    'The interviewer asked {n} questions; the first {kept} are asked now, the rest is dropped.',
  'spec.notice.interviewer_failed':
    'The interviewer gave no usable questions ({reason, select, dispatch_failed {no result} other {unreadable result}}).',
  'spec.notice.round_closed': 'Round {round} closed: {answered} answered, {open} unconfirmed.',
  'spec.notice.nothing_new': 'Nothing new to ask.',
  'spec.notice.discovery':
    'Discovery complete: {asked, plural, one {# question} other {# questions}} asked, {open} unconfirmed.',
  'spec.notice.no_conventions': 'The specification is written without conventions: the step was skipped.',
  'spec.notice.writing': 'Writing the specification{pass, plural, =1 {} other { (pass #)}}.',
  'spec.notice.draft':
    'Draft ready: {criteria, plural, one {# criterion} other {# criteria}}, {open} unconfirmed; mode {mode}, Q&A round {round}/3, output {output}.',
  'spec.notice.approved': 'Approved by {by}. Storing the documents.',
  'spec.notice.modify': 'Change asked for: a new draft is written from the same answers.',
  'spec.notice.stopped': 'Stopped at approval. Nothing was handed on; the draft stays in the record.',
  'spec.notice.document': 'Stored: {path}',
  'spec.notice.branch':
    'On branch {branch}{commit, select, none {} other { ({commit})}}. To take it over: git merge {branch}',
  'spec.notice.completed': 'Completed: the specification is approved and stored.',
  'spec.notice.handed_on': 'A new run of deliver starts from {path}.',
  'spec.notice.done': 'Done. To build it on any later day: baton deliver --from-spec {run}',
  'spec.notice.closed': 'Closed by {by}. The approved specification stays where it is.',
  'spec.notice.abandoned': 'Given up by {by}. The log and all drafts are kept.',

  'spec.end.resumed': 'Run {run} goes on instead.',
  'spec.end.viewed': 'Run {run} is shown; nothing was changed.',
  'spec.end.other_stopped': 'Run {run} was given up; nothing new was started.',
  'spec.end.withdrawn': 'Withdrawn before anything was created.',
  'spec.end.restarted': 'Given up for a new run of the same task.',
  'spec.end.switched': 'The workflow {workflow} goes on with the task instead.',

  'spec.commit': 'spec: {slug}',

  'spec.doc.title': 'Specification',
  'spec.doc.goal': 'Goal',
  'spec.doc.background_decisions': 'Background & Decisions',
  'spec.doc.scope': 'Scope',
  'spec.doc.out_of_scope': 'Out of Scope',
  'spec.doc.edge_cases': 'Edge Cases',
  'spec.doc.acceptance_criteria': 'Acceptance Criteria',
  'spec.doc.risks': 'Risks',
  'spec.doc.given': 'Given',
  'spec.doc.when': 'When',
  'spec.doc.outcome': 'Then',
  'spec.doc.risk': 'Risk',
  'spec.doc.likelihood': 'Likelihood',
  'spec.doc.mitigation': 'Mitigation',
  'spec.doc.unconfirmed': 'unconfirmed',
  'spec.doc.notes': 'Questions and Answers',
  'spec.doc.note': '{id}, round {round}',
  'spec.doc.question': 'Question',
  'spec.doc.why': 'Why it matters',
  'spec.doc.answer': 'Answer',
} as const;

/** An id of this workflow's own catalogue. */
export type SpecMessageId = keyof typeof en | DeepMessageId;

const ko = {
  'spec.phase.setup': '준비 - 시작하는 중',
  'spec.phase.convention_scan_active': '규칙 조사 - 진행 중',
  'spec.phase.qa_active': '질문 - 요구 사항 찾는 중',
  'spec.phase.qa_complete': '질문 완료 - 작성 준비됨',
  'spec.phase.gen_ready': '명세 작성 중',
  'spec.phase.critic_active': '비평 - 명세 검토 중',
  'spec.phase.re_synthesis_active': '재작성 - 두 번째',
  'spec.phase.re_critic_active': '재비평 - 두 번째',
  'spec.phase.critic_complete': '비평 완료 - 승인 대기',
  'spec.phase.critic_halted': '비평 멈춤 - 사람의 판단 필요',
  'spec.phase.spec_ready': '명세 준비됨 - 승인 대기',
  'spec.phase.completed': '완료',

  'spec.status.skill': '워크플로',
  'spec.status.task': '작업',
  'spec.status.mode': '모드',
  'spec.status.preset': '모델',
  'spec.status.phase': '단계',
  'spec.status.round': '질문 라운드',
  'spec.status.branch': '브랜치',
  'spec.status.output': '결과',

  'spec.model_config_quick':
    '--model-config {value}: 모델 설정은 deep 모드에만 있습니다. 생략해 주세요. quick 모드는 에이전트의 기본값을 씁니다.',

  'spec.session.title': '진행 중인 실행',
  'spec.session.decide': '실행 {run}이(가) 이미 {subject} 작업을 하고 있습니다. 이어서 할까요?',
  'spec.session.other': '내용: {title}',
  'spec.session.phase':
    '현재 단계: {phase, select, setup {준비} convention_scan_active {규칙 조사} qa_active {질문} qa_complete {질문 완료} gen_ready {초안 작성} critic_active {비평} re_synthesis_active {두 번째 종합} re_critic_active {두 번째 비평} critic_complete {비평 완료} critic_halted {비평 멈춤} spec_ready {승인 대기} completed {완료} other {알 수 없음}}',
  'spec.session.resume': '이어서 하기',
  'spec.session.resume.leads': '앞선 실행을 이어서 합니다. 이 실행은 거둡니다',
  'spec.session.resume.phase':
    '{phase, select, setup {준비부터 이어서 합니다} convention_scan_active {규칙 조사를 처음부터 다시 합니다} qa_active {열린 질문부터 이어서 합니다. 답변은 그대로입니다} qa_complete {초안 작성부터 이어서 합니다. 답변은 그대로입니다} gen_ready {초안 작성부터 이어서 합니다. 답변은 그대로입니다} critic_active {비평부터 이어서 합니다} re_synthesis_active {두 번째 종합부터 이어서 합니다} re_critic_active {두 번째 비평부터 이어서 합니다} critic_complete {승인 단계로 갑니다} critic_halted {멈춘 이유만 보여 줍니다. 저절로 진행되지 않습니다} spec_ready {저장된 초안으로 승인 단계부터 이어서 합니다} completed {마지막 질문부터 이어서 합니다} other {멈춘 곳부터 이어서 합니다}}. 방금 적으신 작업은 쓰지 않습니다',
  'spec.session.restart': '다시 시작',
  'spec.session.restart.leads': '앞선 실행을 완전히 포기하고(기록은 남습니다) 이 실행을 진행합니다',
  'spec.session.stop': '중단',
  'spec.session.stop.leads': '앞선 실행을 완전히 포기하고(기록은 남습니다) 새로 시작하지 않습니다',
  'spec.session.view': '보기만',
  'spec.session.view.leads': '앞선 실행을 보여 주고 아무것도 바꾸지 않습니다. 이 실행은 거둡니다',
  'spec.session.waiting': '실행 {run}이(가) 끝나기를 기다립니다.',

  'spec.routing.title': '작업 종류',
  'spec.routing.decide':
    '{kind, select, improve {작동하는 코드를 고치는 일로 보입니다.} implement {이미 있는 명세를 구현하는 일로 보입니다.} understand {코드를 이해하려는 일로 보입니다.} other {명세를 만드는 일이 아닐 수 있습니다.}} 그래도 명세를 쓸까요?',
  'spec.routing.why':
    '{kind, select, improve {그런 일에는 deliver 워크플로가 맞습니다. 변경을 계획하고 만들고 검사합니다.} implement {그런 일에는 deliver 워크플로가 맞습니다. 여러 단계로 나뉜 명세에는 autopilot이 맞지만 아직 설치되어 있지 않습니다.} understand {Baton에는 코드를 설명하는 워크플로가 없습니다.} other {더 알맞은 워크플로를 찾지 못했습니다.}}',
  'spec.routing.seen': 'spec은 질문을 하고 문서로 끝납니다. 코드는 바꾸지 않습니다.',
  'spec.routing.continue': 'spec 계속하기',
  'spec.routing.continue.leads': '이 작업을 그대로 진행합니다',
  'spec.routing.deliver': 'deliver 쓰기',
  'spec.routing.deliver.leads': '같은 작업으로 deliver를 시작합니다. 이 실행은 흔적 없이 거둡니다',
  'spec.routing.from_spec': 'Baton이 쓴 명세라면 여기서 중단하고 그 실행이나 폴더를 적어 주세요: {command}',
  'spec.routing.stop': '중단',
  'spec.routing.stop.leads': '이 실행을 거둡니다. 흔적이 남지 않습니다',

  'spec.collision.title': '이름 겹침',
  'spec.collision.decide': '{path}에 이미 문서가 있습니다. 새 문서를 어디에 둘까요?',
  'spec.collision.found': '있는 파일: {files}',
  'spec.collision.why': '새 이름을 쓰면 아무것도 지워지지 않습니다.',
  'spec.collision.timestamp': '시각 붙이기',
  'spec.collision.timestamp.leads': '시각이 들어간 새 이름을 씁니다',
  'spec.collision.overwrite': '덮어쓰기',
  'spec.collision.overwrite.leads': '옛 문서를 바꿉니다. 새 명세를 승인하신 뒤에만 바꿉니다',
  'spec.collision.stop': '중단',
  'spec.collision.stop.leads': '이 실행을 거둡니다. 흔적이 남지 않습니다',
  'spec.notice.timestamped': '{path}에 이미 문서가 있어 이 실행은 {slug} 이름을 씁니다.',

  'spec.questions.title': '질문',
  'spec.questions.decide': '명세를 쓰기 전에 질문 {n}개가 있습니다({round}/{of} 라운드).',
  'spec.questions.task': '작업: {task}',
  'spec.questions.open': '비워 두거나 "모르겠다"고 하신 질문은 [미확인]으로 표시합니다.',
  'spec.questions.answer': '답하기',
  'spec.questions.answer.leads': '하나씩 답합니다. 비워 둔 것은 [미확인]으로 표시합니다',
  'spec.questions.skip': '건너뛰기',
  'spec.questions.skip.leads': '알아서 판단합니다. 모든 질문을 [미확인]으로 표시합니다',
  'spec.questions.no_more': '질문 그만',
  'spec.questions.no_more.leads': '바로 명세를 씁니다. 이 질문들은 [미확인]으로 표시합니다',
  'spec.questions.confirm': '작업 내용이 이대로 충분한가요? 명세에 더 담아야 할 것이 있나요?',
  'spec.questions.confirm.why': '더 물을 것이 없습니다. 쓰기 전에 덧붙일 마지막 기회입니다',

  'spec.approval.title': '승인',
  'spec.approval.decide':
    '이 명세를 승인할까요? 기준 {criteria}개, {unconfirmed, plural, =0 {미확인 없음} other {미확인 #개}}.',
  'spec.approval.complete': '일곱 부분이 모두 채워졌고, 모든 기준에 조건, 행동, 결과가 있습니다.',
  'spec.approval.no_critic': 'quick 모드라서 다른 사람이나 비평가가 검토하지 않았습니다.',
  'spec.approval.unconfirmed': '{id}은(는) 미확인입니다. 이에 기댄 내용을 읽어 보고 승인해 주세요',
  'spec.approval.requests': '지금까지 요청하신 수정 {n}건(오래된 순):',
  'spec.approval.requests_cut': '가장 오래된 {n}건은 여기 없습니다. 기록에 있습니다.',
  'spec.approval.request': '{n}. {text}',
  'spec.approval.code':
    '초안에 코드가 있습니다: {parts}. 명세에는 요구 사항만 담습니다. 필요하면 수정을 요청해 주세요.',
  'spec.approval.output': '승인하시면 {path}에 저장합니다',
  'spec.approval.approve': '승인',
  'spec.approval.approve.leads': '명세를 확정하고 문서를 저장합니다',
  'spec.approval.modify': '수정',
  'spec.approval.modify.leads': '바꿀 내용을 적으면 명세를 다시 만들어 보여 드립니다',
  'spec.approval.stop': '중단',
  'spec.approval.stop.leads': '여기서 끝냅니다. 넘기는 것은 없고 초안은 기록에 남습니다',

  'spec.next.title': '다음 단계',
  'spec.next.decide': '{path}(으)로 지금 deliver를 시작할까요?',
  'spec.next.why': '승인된 명세와 그 문서만 있으면 deliver를 시작할 수 있습니다.',
  'spec.next.documents': '{path}에 저장됨: {files}',
  'spec.next.branch': '브랜치 {branch}에 있습니다. 가져오려면: {merge}',
  'spec.next.open': '이 질문은 계속 열려 있습니다. 다른 날, 다른 터미널에서 답하셔도 됩니다.',
  'spec.next.start_deliver': 'deliver 시작',
  'spec.next.start_deliver.leads': '이 명세에서 시작하는 새 실행으로 구현합니다',
  'spec.next.done': '끝내기',
  'spec.next.done.leads': '여기서 끝냅니다. 나중에 언제든 이 명세로 deliver를 시작할 수 있습니다',

  'spec.halt.integrity':
    '질문은 끝났는데 규칙이 정해지지 않았습니다. 작업자를 부르지 않습니다. 다시 시작하시면 규칙 조사부터 하고 답변은 그대로 둡니다.',
  'spec.halt.generation':
    '{attempts}번 시도했지만 올바른 명세가 나오지 않았습니다({reason, select, dispatch_failed {결과 없음} other {형식에 맞지 않음}}). 다시 시작하시면 새로 씁니다. 답변은 그대로입니다.',
  'spec.halt.failed':
    '{what} 실패: {detail} ({code}). 모두 그대로 있습니다. 다시 시작하시면 한 번 더 합니다.',
  'spec.not_halted': '{command}: 실행이 멈춰 있지 않아 풀 것이 없습니다.',
  'spec.reopen_not_now': '{command}: 비평에서 멈춘 실행만 다시 질문할 수 있습니다.',

  'spec.notice.setup':
    '준비 완료: {branch, select, none {} other {브랜치 {branch}, }}모드 {mode}{models, select, none {} other {, 모델 {models}}}, 결과 {output}.',
  'spec.notice.round': '{round}/{of} 라운드: 질문 {n}개.',
  'spec.notice.cut': '질문이 {n}개 나왔습니다. 앞의 {kept}개만 묻고 나머지는 버립니다.',
  'spec.notice.interviewer_failed':
    '쓸 만한 질문을 받지 못했습니다({reason, select, dispatch_failed {결과 없음} other {읽을 수 없는 결과}}).',
  'spec.notice.round_closed': '{round} 라운드 끝: 답변 {answered}개, 미확인 {open}개.',
  'spec.notice.nothing_new': '더 물을 것이 없습니다.',
  'spec.notice.discovery': '질문 완료: 질문 {asked}개, 미확인 {open}개.',
  'spec.notice.no_conventions': '규칙 조사를 건너뛰어, 규칙 없이 씁니다.',
  'spec.notice.writing': '명세를 씁니다{pass, plural, =1 {} other { (#번째)}}.',
  'spec.notice.draft':
    '초안이 준비됐습니다: 기준 {criteria}개, 미확인 {open}개. 모드 {mode}, 질문 라운드 {round}/3, 결과 {output}.',
  'spec.notice.approved': '{by} 님이 승인했습니다. 문서를 저장합니다.',
  'spec.notice.modify': '수정 요청을 받았습니다. 같은 답변으로 초안을 다시 씁니다.',
  'spec.notice.stopped': '승인 단계에서 중단했습니다. 넘긴 것은 없고 초안은 기록에 남습니다.',
  'spec.notice.document': '저장: {path}',
  'spec.notice.branch':
    '브랜치 {branch}{commit, select, none {} other { ({commit})}}에 있습니다. 가져오려면: git merge {branch}',
  'spec.notice.completed': '완료: 명세를 승인하고 저장했습니다.',
  'spec.notice.handed_on': 'deliver의 새 실행이 {path}에서 시작합니다.',
  'spec.notice.done': '끝났습니다. 나중에 구현하려면: baton deliver --from-spec {run}',
  'spec.notice.closed': '{by} 님이 닫았습니다. 승인된 명세는 그대로 있습니다.',
  'spec.notice.abandoned': '{by} 님이 포기했습니다. 기록과 초안은 모두 남습니다.',

  'spec.end.resumed': '실행 {run}을(를) 이어서 합니다.',
  'spec.end.viewed': '실행 {run}을(를) 보여 드립니다. 바뀐 것은 없습니다.',
  'spec.end.other_stopped': '실행 {run}을(를) 포기했고 새로 시작한 것은 없습니다.',
  'spec.end.withdrawn': '아무것도 만들기 전에 거두었습니다.',
  'spec.end.restarted': '같은 작업의 새 실행을 위해 포기했습니다.',
  'spec.end.switched': '{workflow} 워크플로가 이 작업을 이어서 합니다.',

  'spec.commit': 'spec: {slug} 명세',

  'spec.doc.title': '명세',
  'spec.doc.goal': '목표',
  'spec.doc.background_decisions': '배경과 결정',
  'spec.doc.scope': '범위',
  'spec.doc.out_of_scope': '범위 밖',
  'spec.doc.edge_cases': '예외 상황',
  'spec.doc.acceptance_criteria': '인수 기준',
  'spec.doc.risks': '위험',
  'spec.doc.given': '조건',
  'spec.doc.when': '행동',
  'spec.doc.outcome': '결과',
  'spec.doc.risk': '위험',
  'spec.doc.likelihood': '가능성',
  'spec.doc.mitigation': '대응',
  'spec.doc.unconfirmed': '미확인',
  'spec.doc.notes': '질문과 답변',
  'spec.doc.note': '{id}, {round} 라운드',
  'spec.doc.question': '질문',
  'spec.doc.why': '묻는 이유',
  'spec.doc.answer': '답변',
} as const satisfies Record<keyof typeof en, string>;

/** All a `spec` run says. A key missing from a language does not compile. */
export const specMessages = {
  en: { ...conventionMessages.en, ...measuredMessages.en, ...fileMessages.en, ...deepMessages.en, ...en },
  ko: { ...conventionMessages.ko, ...measuredMessages.ko, ...fileMessages.ko, ...deepMessages.ko, ...ko },
};

/** Names a text of this catalogue. */
export function say(msg: SpecMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}

/** A text without arguments, put into a language at once because it becomes data (a question that is asked). */
export function textIn(lang: string, id: keyof typeof en): string {
  return (lang === 'ko' ? ko : en)[id];
}
