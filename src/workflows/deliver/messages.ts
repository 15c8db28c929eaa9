import type { Msg } from '../../contract/brief.ts';
import { conventionMessages } from '../common/convention-messages.ts';
import { measuredMessages } from '../common/measured.ts';
import { documentMessages } from './document-messages.ts';
import { gateMessages } from './gate-messages.ts';
import { noticeMessages } from './notice-messages.ts';

const en = {
  'deliver.phase.setup': 'Setup - starting',
  'deliver.phase.plan_ready': 'Plan - ready',
  'deliver.phase.planning': 'Plan - in progress',
  'deliver.phase.plan_done': 'Plan - complete',
  'deliver.phase.generate_ready': 'Generate - ready',
  'deliver.phase.generating': 'Generate - in progress',
  'deliver.phase.generate_done': 'Generate - complete',
  'deliver.phase.verify_ready': 'Verify - ready',
  'deliver.phase.verifying': 'Verify - running checks',
  'deliver.phase.verify_done': 'Verify - complete',
  'deliver.phase.evaluate_ready': 'Evaluate - ready',
  'deliver.phase.evaluating': 'Evaluate - in progress',
  'deliver.phase.evaluate_done': 'Evaluate - complete',
  'deliver.phase.completed': 'Completed',

  'deliver.status.task': 'task',
  'deliver.status.ticket': 'ticket',
  'deliver.status.mode': 'mode',
  'deliver.status.preset': 'models',
  'deliver.status.style': 'style',
  'deliver.status.phase': 'phase',
  'deliver.status.round': 'round',
  'deliver.status.branch': 'branch',
  'deliver.status.scope': 'scope',
  'deliver.status.no_limit': '(no limit)',
  'deliver.status.tree': 'work tree',
  'deliver.status.your_folder': 'your own folder: it is changed while the run works',

  'deliver.which_run': '{step}: several runs are live, {found}. Say which:',
  'deliver.scope_bad':
    '--scope {glob}: a scope names paths inside the project, without .. and without a leading /.',
  'deliver.run_first':
    '{step}: there is nothing to work on yet. First: {earlier, select, plan {baton deliver plan "..."} other {baton deliver {earlier}{run, select, none {} other { --run {run}}}}}',
  'deliver.no_such_edge':
    '{step} does not fit here ({phase}). Next: {next, select, answer {baton answer {run}} wait {wait, the run is at work} resume {baton resume {run}} other {baton deliver {next} --run {run}}}',
  'deliver.not_halted': '{command}: the run is not halted, so there is nothing to lift.',
  'deliver.docs_path_refused':
    'The stored documents folder "{path}" is not allowed any more ({rule}). Nothing was read or written. Only a restart helps.',
  'deliver.wipe_not_now':
    'Nothing to wipe here: the run is at work, is finishing, or works in a tree of its own.',
  'deliver.task_from_spec': 'Implement the approved specification {path}',
  'deliver.task_from_ticket': 'Build ticket {ticket} as its accepted plan {path} says',
  'deliver.ticket_bad':
    'ticket {ticket}: a build starts from the accepted plan of its own ticket, not from {from_spec, select, none {nothing} other {{from_spec}}}.',
  'deliver.ticket_restarts':
    'This run builds ticket {ticket}. Give it up instead (--abandon): the ticket then asks whether it is built again.',
  'deliver.ticket.summary': '{result}: {files} files changed, {met} of {of} criteria met; checks: {checks}',
  'deliver.task_missing': 'Say what is to be done: baton deliver "<task>".',
  'deliver.model_config_bad':
    '--model-config {value}: "{bad}" is not known. Allowed: default, all-opus, balanced, economy, or executor:<m>,advisor:<m>,evaluator:<m> with opus, sonnet or haiku.',
  'deliver.conflict_unattended':
    'Run {run} of another workflow works in this folder, and nobody can be asked. Nothing was started.',

  'deliver.end.resumed': 'Run {run} goes on instead.',
  'deliver.end.viewed': 'Run {run} is shown; nothing was changed.',
  'deliver.end.other_stopped': 'Run {run} was given up; nothing new was started.',
  'deliver.end.withdrawn': 'Withdrawn before anything was created.',
  'deliver.end.restarted': 'Given up for a new run of the same task.',
  'deliver.end.closed':
    '{reason, select, passed {Passed with evidence.} altered {Altered after it was judged; not passed.} accepted_as_is {Accepted as it is by a person; not passed.} other {Not passed: all rounds are used.}}',

  'deliver.halt.failed': '{what} failed: {detail} ({code}). Everything is kept; resume tries it again.',
  'deliver.halt.workers':
    '{n, plural, one {A worker} other {# workers}} brought nothing that fits after all tries: {roles}. The rest is kept; resume asks only for what is missing.',
  'deliver.halt.refused':
    'The worker says that it is done and changed no file. It was refused: {what}. Allow it in the settings of your agent; resume asks the worker again.',
  'deliver.halt.autofix_stopped':
    'Stopped at the auto-fix. The patch was not applied; resume goes back to the checks.',
  'deliver.halt.none': 'Nothing is halted.',
  'deliver.halt.style':
    '{phase, select, plan_done {Plan complete.} generate_done {Generate complete.} verify_done {Verify complete: {result}.} evaluate_done {Evaluate complete: {result}.} other {Done.}} Next: {next, select, generate {baton deliver generate --run {run}} verify {baton deliver verify --run {run}} evaluate {baton deliver evaluate --run {run}} other {baton resume {run}}}   Documents: {path}',

  'deliver.commit': 'deliver: {task}',
} as const;

const ko = {
  'deliver.phase.setup': '준비 - 시작하는 중',
  'deliver.phase.plan_ready': '계획 - 준비됨',
  'deliver.phase.planning': '계획 - 진행 중',
  'deliver.phase.plan_done': '계획 - 완료',
  'deliver.phase.generate_ready': '구현 - 준비됨',
  'deliver.phase.generating': '구현 - 진행 중',
  'deliver.phase.generate_done': '구현 - 완료',
  'deliver.phase.verify_ready': '검증 - 준비됨',
  'deliver.phase.verifying': '검증 - 검사 실행 중',
  'deliver.phase.verify_done': '검증 - 완료',
  'deliver.phase.evaluate_ready': '평가 - 준비됨',
  'deliver.phase.evaluating': '평가 - 진행 중',
  'deliver.phase.evaluate_done': '평가 - 완료',
  'deliver.phase.completed': '완료',

  'deliver.status.task': '작업',
  'deliver.status.ticket': '티켓',
  'deliver.status.mode': '모드',
  'deliver.status.preset': '모델',
  'deliver.status.style': '방식',
  'deliver.status.phase': '단계',
  'deliver.status.round': '라운드',
  'deliver.status.branch': '브랜치',
  'deliver.status.scope': '범위',
  'deliver.status.no_limit': '(제한 없음)',
  'deliver.status.tree': '작업 트리',
  'deliver.status.your_folder': '지금 이 폴더: 실행하는 동안 내용이 바뀝니다',

  'deliver.which_run': '{step}: 진행 중인 실행이 여럿입니다({found}). 하나를 지정해 주세요:',
  'deliver.scope_bad': '--scope {glob}: 범위는 .. 나 맨 앞의 / 없이 프로젝트 안의 경로를 가리켜야 합니다.',
  'deliver.run_first':
    '{step}: 아직 다룰 것이 없습니다. 먼저: {earlier, select, plan {baton deliver plan "..."} other {baton deliver {earlier}{run, select, none {} other { --run {run}}}}}',
  'deliver.no_such_edge':
    '지금({phase})은 {step} 단계를 할 수 없습니다. 다음: {next, select, answer {baton answer {run}} wait {기다리기, 작업 중입니다} resume {baton resume {run}} other {baton deliver {next} --run {run}}}',
  'deliver.not_halted': '{command}: 실행이 멈춰 있지 않아 풀 것이 없습니다.',
  'deliver.docs_path_refused':
    '저장된 문서 폴더 "{path}"는 더 이상 허용되지 않습니다({rule}). 읽거나 쓴 것은 없습니다. 다시 시작해야 합니다.',
  'deliver.wipe_not_now':
    '여기서는 지울 것이 없습니다. 실행이 작업 중이거나, 마무리 중이거나, 자기 트리에서 작업합니다.',
  'deliver.task_from_spec': '승인된 명세 {path} 구현하기',
  'deliver.task_from_ticket': '티켓 {ticket}: 승인된 계획 {path} 구현하기',
  'deliver.ticket_bad':
    'ticket {ticket}: 빌드는 그 티켓의 승인된 계획에서만 시작합니다. 지정한 것: {from_spec, select, none {없음} other {{from_spec}}}.',
  'deliver.ticket_restarts':
    '이 실행은 티켓 {ticket}을(를) 구현합니다. 대신 포기해 주세요(--abandon). 다시 구현할지는 티켓에서 묻습니다.',
  'deliver.ticket.summary': '{result}: 파일 {files}개 변경, 기준 {of}개 중 {met}개 충족. 검사: {checks}',
  'deliver.task_missing': '할 일을 적어 주세요: baton deliver "<작업>".',
  'deliver.model_config_bad':
    '--model-config {value}: "{bad}"을(를) 알 수 없습니다. 가능: default, all-opus, balanced, economy, 또는 executor:<m>,advisor:<m>,evaluator:<m> (opus, sonnet, haiku).',
  'deliver.conflict_unattended':
    '다른 워크플로의 실행 {run}이(가) 이 폴더에서 작업 중이고, 물어볼 사람이 없습니다. 시작하지 않았습니다.',

  'deliver.end.resumed': '실행 {run}을(를) 이어서 합니다.',
  'deliver.end.viewed': '실행 {run}을(를) 보여 드립니다. 바뀐 것은 없습니다.',
  'deliver.end.other_stopped': '실행 {run}을(를) 포기했고 새로 시작한 것은 없습니다.',
  'deliver.end.withdrawn': '아무것도 만들기 전에 거두었습니다.',
  'deliver.end.restarted': '같은 작업의 새 실행을 위해 포기했습니다.',
  'deliver.end.closed':
    '{reason, select, passed {근거와 함께 통과했습니다.} altered {판정 뒤에 바뀌어 통과가 아닙니다.} accepted_as_is {사람이 있는 그대로 받아들였습니다. 통과는 아닙니다.} other {통과하지 못했습니다. 라운드를 모두 썼습니다.}}',

  'deliver.halt.failed': '{what} 실패: {detail} ({code}). 모두 그대로 있습니다. 재개하면 다시 합니다.',
  'deliver.halt.workers':
    '작업자 {n}명이 여러 번 시도했지만 쓸 만한 결과를 내지 못했습니다: {roles}. 나머지는 그대로이며, 재개하면 빠진 것만 다시 합니다.',
  'deliver.halt.refused':
    '작업자는 끝났다고 하지만 바뀐 파일이 없습니다. 허용되지 않은 것: {what}. 에이전트 설정에서 허용하고 재개하면 작업자에게 다시 맡깁니다.',
  'deliver.halt.autofix_stopped':
    '자동 수정에서 멈췄습니다. 패치는 적용하지 않았습니다. 재개하면 검사 단계로 돌아갑니다.',
  'deliver.halt.none': '멈춘 것이 없습니다.',
  'deliver.halt.style':
    '{phase, select, plan_done {계획 완료.} generate_done {구현 완료.} verify_done {검증 완료: {result}.} evaluate_done {평가 완료: {result}.} other {완료.}} 다음: {next, select, generate {baton deliver generate --run {run}} verify {baton deliver verify --run {run}} evaluate {baton deliver evaluate --run {run}} other {baton resume {run}}}   문서: {path}',

  'deliver.commit': 'deliver: {task}',
} as const satisfies Record<keyof typeof en, string>;

/** An id of this workflow's own catalogues. */
export type DeliverMessageId =
  | keyof typeof en
  | keyof typeof gateMessages.en
  | keyof typeof noticeMessages.en
  | keyof typeof documentMessages.en;

/** All a `deliver` run says. A key missing from a language does not compile. */
export const deliverMessages = {
  en: {
    ...conventionMessages.en,
    ...measuredMessages.en,
    ...documentMessages.en,
    ...gateMessages.en,
    ...noticeMessages.en,
    ...en,
  },
  ko: {
    ...conventionMessages.ko,
    ...measuredMessages.ko,
    ...documentMessages.ko,
    ...gateMessages.ko,
    ...noticeMessages.ko,
    ...ko,
  },
};

/** Names a text of this catalogue. */
export function say(msg: DeliverMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
