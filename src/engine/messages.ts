/** Message id to ICU MessageFormat text. Rendering is the runtime's; the pure layers only name ids and arguments. */
export type Catalogue = Record<string, string>;

const en = {
  'engine.path.empty': '{source}: "{path}" names no file or folder. Give a path inside the repository.',
  'engine.path.control_character': '{source}: "{path}" holds a control character. Write the path without it.',
  'engine.path.unc': '{source}: "{path}" is a network path (UNC). Give a path relative to the repository.',
  'engine.path.absolute':
    '{source}: "{path}" is absolute or has a drive prefix. Give a path relative to the repository.',
  'engine.path.parent_segment': '{source}: "{path}" has a ".." segment. Name the place directly.',
  'engine.path.reserved_name':
    '{source}: "{path}" begins with a reserved name (memory, spec, planner, generator, evaluator, verify, harness, .harness, .git or the namespace). Choose another first folder.',
  'engine.path.docs_not_namespace':
    '{source}: "{path}" is under docs, where only the folder of the namespace may be written (docs/baton unless configured otherwise).',
  'engine.path.protected': '{source}: "{path}" is protected; git or Baton keeps its own files there.',
  'engine.path.outside_scope': '{source}: "{path}" is outside the scope of this run.',
  'engine.path.leaves_repository': '{source}: "{path}" leads out of the repository through a link.',

  'engine.brief.decide': 'DECIDE',
  'engine.brief.recommend': 'Recommend',
  'engine.brief.research_first': 'Research first',
  'engine.brief.why': 'Why',
  'engine.brief.alternatives': 'Alternatives',
  'engine.brief.context': 'Context',
  'engine.brief.you_need_to': 'You need to',
  'engine.brief.more': 'More',
  'engine.brief.confidence.high': 'high confidence',
  'engine.brief.confidence.medium': 'medium confidence',
  'engine.brief.confidence.low': 'low confidence',
  'engine.brief.cede': 'your call',
  'engine.brief.item.decision': 'decide',
  'engine.brief.item.content-input': 'provide',
  'engine.brief.item.derived-constraint': 'constraint',
  'engine.brief.item.recommendation': 'recommended',
  'engine.brief.item.deferred': 'deferred',
  'engine.brief.human_approval': 'Human approval is required before merge.',

  'engine.lint.derived_constraint': 'Item {n} is a derived constraint. Move it to the context.',
  'engine.lint.no_recommendation':
    'Item {n} is a decision without a recommendation. Recommend one or defer it.',
  'engine.lint.gap_without_research': 'There is a load-bearing gap but nothing to research.',
  'engine.lint.gap_with_decision':
    'Item {n} is a decision although a load-bearing gap is open. Defer it until the research is done.',
  'engine.lint.no_human_approval':
    'A bot wrote this pull request: the brief must say "Human approval is required before merge."',
  'engine.lint.too_long': 'The brief has {words} words; {limit} is the limit.',
  'engine.lint.long_sentence': 'A sentence has {words} words; {limit} is the limit.',
  'engine.lint.parentheses': 'Parentheses are nested or stand side by side.',
  'engine.lint.unweighted': 'The recommendation states neither its confidence nor that it is left to you.',

  'engine.mode.unknown_flag': '"{flag}" is no flag of conduct. Allowed: {allowed}.',
  'engine.mode.exclusive': '{flags} exclude each other. Give one of them.',
  'engine.mode.takes_no_value': '{flag} "{value}": it takes no value. Give it or leave it out.',
  'engine.mode.no_such_gate': '--pause-at "{gate}": no such gate. Allowed: {allowed}.',

  'engine.status.working': 'working',
  'engine.status.waiting': 'waiting for you',
  'engine.status.sleeping': 'sleeping',
  'engine.status.halted': 'halted',
  'engine.status.ended': 'ended',

  'engine.label.folder': 'folder',
  'engine.label.tree': 'work tree',
  'engine.label.agent': 'agent',
  'engine.label.budget': 'budget',
  'engine.agent.rehearsal': 'rehearsal: no model writes this',
  'engine.budget.none': 'no limit',

  'engine.rejection.no_such_run': 'There is no run "{run}" here. baton list --all shows what there is.',
  'engine.rejection.no_such_decision':
    'There is no decision "{id}" here. baton decisions shows what there is.',
  'engine.rejection.title_taken': 'Decision {by} has the title "{title}" already. Choose another one.',
  'engine.rejection.half_successor':
    'Only {given} of a successor was given. Give type and title together, or nothing to retire the decision without one.',
  'engine.rejection.superseded_before':
    'Decision {id} is superseded already{by, select, none {, without a successor} other {: {by} took its place}}.',
  'engine.rejection.no_such_ticket':
    'There is no ticket "{ticket}" here. baton ticket list --all shows what there is.',
  'engine.rejection.bad_ticket_id':
    '"{ticket}" is no ticket. Give its number (1 to {highest}), {key} and the number (such as {key}-12), or its UUID.',
  'engine.rejection.foreign_ticket_key':
    '"{ticket}" has the key of another project. The key here is {key}: write {key}-{number}.',
  'engine.rejection.no_such_gate': 'There is no open gate "{gate}". baton gates shows what waits.',
  'engine.rejection.no_such_order':
    'No work order is out for this token: it was handed in or withdrawn, or the token was never given out.',
  'engine.rejection.order_expired':
    'The lease of this work order is over, and another worker may have it. Take an order again.',
  'engine.rejection.no_such_artefact': 'Run {run} has no document "{name}". It has: {allowed}.',
  'engine.rejection.ambiguous': '"{name}" fits more than one: {found}. Name one of them.',
  'engine.rejection.gate_closed':
    'Gate {gate} is {status, select, answered {already answered} withdrawn {withdrawn} other {no longer open}}.',
  'engine.rejection.answered_by':
    'Gate {gate} is already answered: {option}, by {by}. The first answer counts.',
  'engine.rejection.stale_digest':
    'Gate {gate} has changed since you saw it (it is at revision {iteration} now). Look again, then answer.',
  'engine.rejection.no_such_option': 'Gate {gate} has no option "{option}". Allowed: {allowed}.',
  'engine.rejection.text_required': 'Option "{option}" of gate {gate} needs a text: --text "...".',
  'engine.rejection.text_not_allowed':
    'Option "{option}" of gate {gate} takes no text. Nothing was recorded.',
  'engine.rejection.field_required': 'Gate {gate}: question "{field}" needs an answer: --field {field}=...',
  'engine.rejection.no_such_field':
    'Gate {gate} has no question "{field}" for this option. Allowed: {allowed}.',
  'engine.rejection.typed_wrong': 'Gate {gate} is only answered by typing "{typed}" exactly.',
  'engine.rejection.not_a_person': 'Only a person answers gates: {reason}.',
  'engine.rejection.not_a_person_decides': 'Only a person decides this: {reason}.',
  'engine.rejection.wrong_moment': 'The run cannot take that now.',
  'engine.rejection.already_halted': 'Run {run} is already stopped. To go on: baton resume {run}',
  'engine.rejection.no_such_command': 'There is no command "{command}" for this run. Allowed: {allowed}.',
  'engine.rejection.run_ended': 'Run {run} has ended; nothing moves it any more.',
  'engine.rejection.held_elsewhere':
    'Run {run} is worked on by another process (pid {pid} on {host}). Its gates can be answered from here.',
  'engine.rejection.bad_input':
    '{option} "{value}": {problem, select, empty {must not be empty; give a value or leave it out} at_least {must be at least {limit}} more_than {must be more than {limit}} at_most {must be at most {limit}} too_long {must have at most {limit} characters} too_many {must have at most {limit} entries} one_of {not allowed. Allowed: {limit}} unknown {there is no such setting} unknown_of {there is no such setting. Allowed: {limit}} kind {must be {limit, select, record {a group of settings} object {a group of settings} array {a list} int {a whole number} number {a number} boolean {true or false} string {a text} other {{limit}}}} form {must have the form {limit}} other {{limit}}}.',
  'engine.did_you_mean': 'Did you mean "{near}"?',
  'engine.rejection.git_missing':
    'This folder is a git repository, but there is no git program on the PATH, so your checkout could not be left alone. Install git, or let the work be done in the folder itself: --in-place.',
  'engine.rejection.path_refused': '"{path}" is not allowed.',
  'engine.rejection.reference_refused': 'The reference file was refused.',
  'engine.rejection.spec_refused': 'The specification was refused.',
  'engine.rejection.no_such_spec':
    '--from-spec {spec}: no run has this id, and nothing was approved under this folder or file. baton list --all shows what there is; a file of your own is approved first: baton approve {spec}',
  'engine.rejection.spec_not_approved':
    'Run {run} has no approved specification. Approve it first: baton resume {run}',
  'engine.rejection.spec_changed':
    '{path} is not what was approved any more. Approved: {approved}. Found: {found}. Put it back, or have the new text approved: by a new spec run, or with baton approve for a file of your own.',
  'engine.rejection.newer_version':
    'Run {run} has version {version}, this Baton knows {known}. Use the newer Baton; nothing was changed.',
  'engine.rejection.state_corrupt':
    'The stored state of run {run} is damaged at "{field}": {problem}. Nothing was changed; baton doctor --deep tells more.',
  'engine.rejection.no_such_agent':
    '{at} "{agent}": there is no such agent. There are: {known}.{near, select, none {} other { Did you mean "{near}"?}}',
  'engine.rejection.unknown_workflow': 'There is no workflow "{workflow}" in this Baton.',
  'engine.rejection.score_refused': 'The score was refused.',
  'engine.halt.damaged': 'Its stored row is damaged: {problem}. baton doctor tells more.',
  'engine.halt.stopped': 'Stopped by {by}.',
  'engine.halt.held': 'Stopped at this gate with "{option}"; the gate stays open.',
  'engine.halt.invariant': 'Baton itself failed here: {problem}. The stack is kept as {stack}.',
  'engine.recovered':
    '{run} was interrupted while {role} worked (attempt {attempt}). {ended, plural, =0 {No process was left} one {Its process was still alive and has been ended} other {# of its processes were still alive and have been ended}}; {way, select, taken {what it had finished is taken} other {the attempt is made again}}.',
  'engine.attempt_wrote':
    '{role} may only read and wrote to the tree (attempt {attempt}): {paths}. The files were put back, the result was refused.',
  'engine.attempt_late':
    '{role} did not end in time (attempt {attempt}): {paths}. All its processes were ended.',
  'engine.attempt_limited':
    '{role}: the provider took no call (attempt {attempt}): {paths}. The run slept and went on by itself.',
  'engine.attempt_fault': '{role} could not be run (attempt {attempt}): {paths}.',
  'engine.attempt_invalid': '{role} gave no result that fits (attempt {attempt}): {paths}',
  'engine.call_denied': '{role} was refused: {what}.',
  'engine.call_left':
    '{role} ended and left {n, plural, one {a process} other {# processes}} running: {what}. {n, plural, one {It was} other {They were}} ended.',
  'engine.agent_changed':
    '{by} has the work go on with {agent}{same, select, yes {} other {, no longer with {before}}}; agents and roles are those of baton.yaml as it is now.',
  'engine.worker_refused':
    'A process of a worker or check ({mark}) gave the command "{command}" for {target}. It was refused: only a person decides.',
  'engine.dial_override':
    'The trust dial is {dial}: {flag} is ignored and every gate waits for you. To allow it: baton trust balanced, then the same command with {flag}.',
  'engine.trouble.infrastructure.title': 'Trouble: a step failed',
  'engine.trouble.infrastructure.decide': 'The agent for {role} could not be run. Try again?',
  'engine.trouble.infrastructure.decide.world':
    '{role, select, workspace {Writing to the repository or to the tree of the run} look {Looking at the folder} check {Getting the tree ready for the checks} tracker {Writing to the remote} deploy {The deploy} other {Getting ready for {role}}} failed. Try again?',
  'engine.trouble.infrastructure.why.world': 'Nothing was lost. The problem: {problem}',
  'engine.trouble.infrastructure.why.agent': 'Nothing was lost. The problem: {problem}',
  'engine.trouble.infrastructure.why.other':
    'Tried {tries, plural, one {once} other {# times}}. Last problem: {problem}',
  'engine.trouble.infrastructure.why.stalled':
    'It gave no sign of life and was stopped with all it had started, {tries, plural, one {once} other {# times}}. Last problem: {problem}',
  'engine.trouble.infrastructure.why.limited':
    '{agent} takes no calls: waited {tries, plural, one {once} other {# times}}, next until {until} UTC. Last problem: {problem}',
  'engine.trouble.infrastructure.why.blocked':
    '{agent} takes no calls from you yet: {problem}. It was asked once and not again.',
  'engine.trouble.infrastructure.another':
    'To go on with another agent or model: name it in baton.yaml, then baton resume {run} --agent <name>.',
  'engine.trouble.budget.title': 'Trouble: budget',
  'engine.trouble.budget.decide.run':
    'The budget of this run is used up: {budget, select, money_usd {money} tokens {tokens} worker_minutes {worker-minutes} attempts {attempts} other {{budget}}}, {used} of {limit}. Extend it?',
  'engine.trouble.budget.decide.call':
    'The budget of one call of {role} is used up: {budget, select, money_usd {money} tokens {tokens} worker_minutes {worker-minutes} attempts {attempts} other {{budget}}}, {used} of {limit}. Extend it?',
  'engine.trouble.budget.why.no':
    'No worker is started beyond the limit. Only Extend lifts it: the same amount is added once more.',
  'engine.trouble.budget.why.yes':
    '{role} was stopped when it passed the limit; what it used is counted. Only Extend lifts it: the same amount is added once more.',
  'engine.trouble.disk.title': 'Trouble: disk',
  'engine.trouble.disk.decide': 'There is too little room on the disk to go on. Free some, then try again?',
  'engine.trouble.disk.why': 'Nothing was lost; no worker was started.',
  'engine.trouble.processes_left.title': 'Trouble: processes',
  'engine.trouble.processes_left.decide':
    'Processes of an interrupted worker will not end ({pids}). Try again?',
  'engine.trouble.processes_left.why': 'A second worker beside them could work against them.',
  'engine.trouble.tree_changed.title': 'Trouble: files changed',
  'engine.trouble.tree_changed.decide':
    '{count, plural, one {A file} other {# files}} changed while {role} worked, which may only read. Go on?',
  'engine.trouble.tree_changed.why':
    'Changed: {paths}. Baton reverts nothing in your folder. If the changes are yours, go on.',
  'engine.trouble.unknown_effect.title': 'Trouble: may have happened',
  'engine.trouble.unknown_effect.decide': 'Baton was interrupted during: {what}. Did it happen?',
  'engine.trouble.unknown_effect.why': 'It cannot be looked up from here, and doing it twice may do harm.',
  'engine.trouble.option.retry': 'Try again',
  'engine.trouble.option.retry.says': 'the same step is done once more',
  'engine.trouble.option.extend': 'Extend',
  'engine.trouble.option.extend.says': 'the same budget is added once more and the run goes on',
  'engine.trouble.option.go_on': 'Go on',
  'engine.trouble.option.go_on.says': 'the changes stay and the worker’s result is taken',
  'engine.trouble.option.again': 'Do it again',
  'engine.trouble.option.again.says': 'the step starts anew',
  'engine.trouble.option.happened': 'It happened',
  'engine.trouble.option.happened.says': 'the run goes on as if it had been confirmed',
  'engine.trouble.option.stop': 'Stop',
  'engine.trouble.option.stop.says': 'nothing is lost; baton resume shows this again',
} as const satisfies Catalogue;

/** An id of the engine's own catalogue. */
export type EngineMessageId = keyof typeof en;

const ko = {
  'engine.path.empty':
    '{source}: "{path}"에는 가리키는 파일이나 폴더가 없습니다. 저장소 안의 경로를 적어 주세요.',
  'engine.path.control_character': '{source}: "{path}"에 제어 문자가 있습니다. 제어 문자를 빼고 적어 주세요.',
  'engine.path.unc': '{source}: "{path}"는 네트워크 경로(UNC)입니다. 저장소 기준의 상대 경로를 적어 주세요.',
  'engine.path.absolute':
    '{source}: "{path}"는 절대 경로이거나 드라이브 이름이 있습니다. 저장소 기준의 상대 경로를 적어 주세요.',
  'engine.path.parent_segment': '{source}: "{path}"에 ".." 구간이 있습니다. 위치를 직접 적어 주세요.',
  'engine.path.reserved_name':
    '{source}: "{path}"는 예약된 이름으로 시작합니다(memory, spec, planner, generator, evaluator, verify, harness, .harness, .git, 네임스페이스). 첫 폴더 이름을 바꿔 주세요.',
  'engine.path.docs_not_namespace':
    '{source}: "{path}"는 docs 아래에 있습니다. docs에서는 네임스페이스 폴더에만 쓸 수 있습니다(따로 설정하지 않았다면 docs/baton).',
  'engine.path.protected': '{source}: "{path}"는 보호된 위치입니다. git이나 Baton이 쓰는 파일이 있습니다.',
  'engine.path.outside_scope': '{source}: "{path}"는 이 실행의 범위 밖입니다.',
  'engine.path.leaves_repository': '{source}: "{path}"는 링크를 따라 저장소 밖으로 나갑니다.',

  'engine.brief.decide': '결정',
  'engine.brief.recommend': '추천',
  'engine.brief.research_first': '먼저 조사할 것',
  'engine.brief.why': '이유',
  'engine.brief.alternatives': '대안',
  'engine.brief.context': '배경',
  'engine.brief.you_need_to': '해 주실 일',
  'engine.brief.more': '자세히',
  'engine.brief.confidence.high': '확신: 높음',
  'engine.brief.confidence.medium': '확신: 보통',
  'engine.brief.confidence.low': '확신: 낮음',
  'engine.brief.cede': '직접 판단해 주세요',
  'engine.brief.item.decision': '결정',
  'engine.brief.item.content-input': '입력',
  'engine.brief.item.derived-constraint': '제약',
  'engine.brief.item.recommendation': '추천',
  'engine.brief.item.deferred': '보류',
  'engine.brief.human_approval': '병합하기 전에 사람의 승인이 필요합니다.',

  'engine.lint.derived_constraint': '항목 {n}은 파생된 제약입니다. 배경으로 옮겨 주세요.',
  'engine.lint.no_recommendation': '항목 {n}은 추천이 없는 결정입니다. 추천을 적거나 보류해 주세요.',
  'engine.lint.gap_without_research': '결정에 꼭 필요한 정보가 비어 있는데 조사할 내용이 없습니다.',
  'engine.lint.gap_with_decision':
    '꼭 필요한 정보가 비어 있는데 항목 {n}이 결정을 묻습니다. 조사가 끝날 때까지 보류해 주세요.',
  'engine.lint.no_human_approval':
    '봇이 만든 풀 리퀘스트입니다. "병합하기 전에 사람의 승인이 필요합니다."라는 문장이 있어야 합니다.',
  'engine.lint.too_long': '브리프가 {words}단어입니다. 한도는 {limit}단어입니다.',
  'engine.lint.long_sentence': '한 문장이 {words}단어입니다. 한도는 {limit}단어입니다.',
  'engine.lint.parentheses': '괄호가 겹치거나 나란히 있습니다.',
  'engine.lint.unweighted': '추천에 확신의 정도도, 판단을 맡긴다는 표시도 없습니다.',

  'engine.mode.unknown_flag': 'conduct에는 "{flag}" 옵션이 없습니다. 가능: {allowed}.',
  'engine.mode.exclusive': '{flags}: 함께 쓸 수 없습니다. 하나만 주세요.',
  'engine.mode.takes_no_value': '{flag} "{value}": 값을 받지 않습니다. 그냥 주거나 빼 주세요.',
  'engine.mode.no_such_gate': '--pause-at "{gate}": 그런 게이트는 없습니다. 가능: {allowed}.',

  'engine.status.working': '작업 중',
  'engine.status.waiting': '답변 대기',
  'engine.status.sleeping': '대기 중',
  'engine.status.halted': '멈춤',
  'engine.status.ended': '종료',

  'engine.label.folder': '폴더',
  'engine.label.tree': '작업 트리',
  'engine.label.agent': '에이전트',
  'engine.label.budget': '예산',
  'engine.agent.rehearsal': '리허설: 모델이 쓴 글이 아닙니다',
  'engine.budget.none': '한도 없음',

  'engine.rejection.no_such_run': '"{run}" 실행이 없습니다. baton list --all로 목록을 볼 수 있습니다.',
  'engine.rejection.no_such_decision':
    '여기에 "{id}" 결정이 없습니다. baton decisions로 목록을 볼 수 있습니다.',
  'engine.rejection.title_taken': '결정 {by}의 제목이 이미 "{title}"입니다. 다른 제목을 적어 주세요.',
  'engine.rejection.half_successor':
    '뒤를 이을 결정에서 {given}만 적으셨습니다. 종류와 제목을 함께 적거나, 뒤를 잇는 결정 없이 거두려면 아무것도 적지 마세요.',
  'engine.rejection.superseded_before':
    '결정 {id}은(는) 이미 대체되었습니다{by, select, none { (뒤를 이은 결정 없음)} other {: {by}}}.',
  'engine.rejection.no_such_ticket':
    '여기에 "{ticket}" 티켓이 없습니다. baton ticket list --all로 목록을 볼 수 있습니다.',
  'engine.rejection.bad_ticket_id':
    '"{ticket}"은(는) 티켓이 아닙니다. 번호(1부터 {highest}까지), {key}-12처럼 {key}와 번호, 또는 UUID를 적어 주세요.',
  'engine.rejection.foreign_ticket_key':
    '"{ticket}"에는 다른 프로젝트의 키가 있습니다. 이곳의 키는 {key}입니다. {key}-{number}(으)로 적어 주세요.',
  'engine.rejection.no_such_gate':
    '열려 있는 게이트 "{gate}"가 없습니다. baton gates로 대기 중인 것을 볼 수 있습니다.',
  'engine.rejection.no_such_order':
    '이 토큰으로 나가 있는 작업 지시가 없습니다. 이미 제출되었거나 회수되었거나, 발급된 적이 없는 토큰입니다.',
  'engine.rejection.order_expired':
    '이 작업 지시의 임대 기간이 끝나 다른 작업자가 맡았을 수 있습니다. 작업 지시를 다시 받으세요.',
  'engine.rejection.no_such_artefact': '{run}에는 문서 "{name}"이 없습니다. 있는 문서: {allowed}.',
  'engine.rejection.ambiguous': '"{name}"에 맞는 것이 여럿입니다: {found}. 하나를 지정해 주세요.',
  'engine.rejection.gate_closed':
    '게이트 {gate}는 {status, select, answered {이미 답변되었습니다} withdrawn {철회되었습니다} other {더 이상 열려 있지 않습니다}}.',
  'engine.rejection.answered_by':
    '게이트 {gate}는 {by} 님이 이미 답했습니다: {option}. 첫 번째 답변만 유효합니다.',
  'engine.rejection.stale_digest':
    '게이트 {gate}가 보신 뒤에 바뀌었습니다(현재 {iteration}판). 다시 보고 답해 주세요.',
  'engine.rejection.no_such_option': '게이트 {gate}에는 "{option}" 선택지가 없습니다. 가능: {allowed}.',
  'engine.rejection.text_required': '게이트 {gate}의 "{option}"에는 글이 필요합니다: --text "...".',
  'engine.rejection.text_not_allowed':
    '게이트 {gate}의 "{option}"에는 글을 붙일 수 없습니다. 기록된 것은 없습니다.',
  'engine.rejection.field_required': '게이트 {gate}: 질문 "{field}"에 답이 필요합니다: --field {field}=...',
  'engine.rejection.no_such_field':
    '게이트 {gate}의 이 선택지에는 질문 "{field}"가 없습니다. 가능: {allowed}.',
  'engine.rejection.typed_wrong': '게이트 {gate}는 "{typed}"를 그대로 입력해야 답변됩니다.',
  'engine.rejection.not_a_person': '게이트에는 사람만 답할 수 있습니다: {reason}.',
  'engine.rejection.not_a_person_decides': '사람만 결정할 수 있습니다: {reason}.',
  'engine.rejection.wrong_moment': '지금은 받을 수 없는 요청입니다.',
  'engine.rejection.already_halted': '{run} 실행은 이미 멈춰 있습니다. 이어 하기: baton resume {run}',
  'engine.rejection.no_such_command': '이 실행에는 "{command}" 명령이 없습니다. 가능: {allowed}.',
  'engine.rejection.run_ended': '{run} 실행은 끝났습니다. 더 진행되지 않습니다.',
  'engine.rejection.held_elsewhere':
    '{run} 실행은 다른 프로세스가 진행 중입니다({host}의 pid {pid}). 게이트는 여기서 답할 수 있습니다.',
  'engine.rejection.bad_input':
    '{option} "{value}": {problem, select, empty {비어 있습니다. 값을 적거나 빼 주세요} at_least {{limit} 이상이어야 합니다} more_than {{limit}보다 커야 합니다} at_most {{limit} 이하여야 합니다} too_long {{limit}자까지 쓸 수 있습니다} too_many {{limit}개까지 쓸 수 있습니다} one_of {쓸 수 없는 값입니다. 가능한 값: {limit}} unknown {그런 설정은 없습니다} unknown_of {그런 설정은 없습니다. 가능한 설정: {limit}} kind {{limit, select, record {설정 묶음} object {설정 묶음} array {목록} int {정수} number {숫자} boolean {true 또는 false} string {글} other {{limit}}}이어야 합니다} form {다음 꼴이어야 합니다: {limit}} other {{limit}}}.',
  'engine.did_you_mean': '혹시 "{near}"인가요?',
  'engine.rejection.git_missing':
    '이 폴더는 git 저장소이지만 PATH에 git 프로그램이 없어서 작업 폴더를 그대로 둘 수 없습니다. git을 설치하거나, --in-place로 이 폴더에서 바로 작업하게 하세요.',
  'engine.rejection.path_refused': '"{path}"는 허용되지 않습니다.',
  'engine.rejection.reference_refused': '참조 파일을 받을 수 없습니다.',
  'engine.rejection.spec_refused': '명세를 받을 수 없습니다.',
  'engine.rejection.no_such_spec':
    '--from-spec {spec}: 이 이름의 실행도, 이 폴더나 파일로 승인된 것도 없습니다. baton list --all로 목록을 볼 수 있습니다. 직접 쓴 파일은 먼저 승인해 주세요: baton approve {spec}',
  'engine.rejection.spec_not_approved':
    '{run} 실행에는 승인된 명세가 없습니다. 먼저 승인하세요: baton resume {run}',
  'engine.rejection.spec_changed':
    '{path} 문서가 승인된 내용과 다릅니다. 승인: {approved}. 현재: {found}. 되돌리거나 새 spec 실행으로, 직접 쓴 파일은 baton approve로 승인받으세요.',
  'engine.rejection.newer_version':
    '{run} 실행은 버전 {version}이고 이 Baton은 {known}까지 압니다. 더 새로운 Baton을 써 주세요. 바뀐 것은 없습니다.',
  'engine.rejection.state_corrupt':
    '{run} 실행의 저장된 상태가 "{field}"에서 손상되었습니다: {problem}. 바뀐 것은 없습니다. baton doctor --deep으로 자세히 볼 수 있습니다.',
  'engine.rejection.no_such_agent':
    '{at} "{agent}": 그런 에이전트가 없습니다. 있는 것: {known}.{near, select, none {} other { "{near}"을(를) 뜻하셨나요?}}',
  'engine.rejection.unknown_workflow': '이 Baton에는 "{workflow}" 워크플로가 없습니다.',
  'engine.rejection.score_refused': '악보(score)를 받을 수 없습니다.',
  'engine.halt.damaged': '저장된 기록이 손상되었습니다: {problem}. baton doctor로 확인해 주세요.',
  'engine.halt.stopped': '{by} 님이 멈췄습니다.',
  'engine.halt.held': '이 게이트에서 "{option}"으로 멈췄습니다. 게이트는 열려 있습니다.',
  'engine.halt.invariant': 'Baton 자체의 오류입니다: {problem}. 스택은 {stack}에 남겼습니다.',
  'engine.recovered':
    '{run}: {role} 작업 중에 중단되었습니다(시도 {attempt}). {ended, plural, =0 {남은 프로세스는 없었고} other {남아 있던 프로세스 #개를 끝냈고}} {way, select, taken {이미 끝낸 결과를 받습니다} other {같은 시도를 다시 합니다}}.',
  'engine.attempt_wrote':
    '{role}은(는) 읽기만 해야 하는데 트리에 썼습니다(시도 {attempt}): {paths}. 파일을 되돌렸고 결과는 받지 않았습니다.',
  'engine.attempt_late':
    '{role}이(가) 제시간에 끝나지 않았습니다(시도 {attempt}): {paths}. 그 프로세스를 모두 끝냈습니다.',
  'engine.attempt_limited':
    '{role}: 제공자가 호출을 받지 않았습니다(시도 {attempt}): {paths}. 쉬었다가 저절로 이어졌습니다.',
  'engine.attempt_fault': '{role}을(를) 실행하지 못했습니다(시도 {attempt}): {paths}.',
  'engine.attempt_invalid': '{role}의 결과가 형식에 맞지 않습니다(시도 {attempt}): {paths}',
  'engine.call_denied': '{role}에게 허용되지 않은 것: {what}.',
  'engine.call_left': '{role}이(가) 끝나면서 프로세스 {n}개를 남겼습니다: {what}. 모두 종료했습니다.',
  'engine.agent_changed':
    '{by} 님이 {agent}(으)로 이어서 하게 했습니다{same, select, yes {} other {(이전: {before})}}. 에이전트와 역할 설정은 지금의 baton.yaml을 따릅니다.',
  'engine.worker_refused':
    '작업자나 검사의 프로세스({mark})가 {target}에 "{command}" 명령을 내렸습니다. 사람만 결정할 수 있어 거절했습니다.',
  'engine.dial_override':
    '신뢰 다이얼이 {dial}입니다. {flag}은(는) 무시하고 모든 게이트에서 답을 기다립니다. 허용하려면: baton trust balanced. 그다음 {flag}을(를) 주어 다시 실행하세요.',
  'engine.trouble.infrastructure.title': '문제: 실패한 단계',
  'engine.trouble.infrastructure.decide': '{role} 에이전트를 실행하지 못했습니다. 다시 해 볼까요?',
  'engine.trouble.infrastructure.decide.world':
    '{role, select, workspace {저장소나 작업 트리에 쓰기} look {폴더 읽기} check {검사할 트리 준비} tracker {원격에 쓰기} deploy {배포} other {{role} 준비}}에 실패했습니다. 다시 해 볼까요?',
  'engine.trouble.infrastructure.why.world': '잃은 것은 없습니다. 문제: {problem}',
  'engine.trouble.infrastructure.why.agent': '잃은 것은 없습니다. 문제: {problem}',
  'engine.trouble.infrastructure.why.other': '{tries}번 시도했습니다. 마지막 문제: {problem}',
  'engine.trouble.infrastructure.why.stalled':
    '아무 반응이 없어 시작한 것까지 모두 {tries}번 멈췄습니다. 마지막 문제: {problem}',
  'engine.trouble.infrastructure.why.blocked':
    '{agent}이(가) 아직 호출을 받지 않습니다: {problem}. 한 번만 묻고 다시 묻지 않았습니다.',
  'engine.trouble.infrastructure.why.limited':
    '{agent}이(가) 호출을 받지 않습니다. {tries}번 기다렸고 다음은 {until} UTC까지입니다. 마지막 문제: {problem}',
  'engine.trouble.infrastructure.another':
    '다른 에이전트나 모델로 이어서 하려면 baton.yaml에 적고 baton resume {run} --agent <이름>을 실행하세요.',
  'engine.trouble.budget.title': '문제: 예산',
  'engine.trouble.budget.decide.run':
    '이 실행의 예산을 다 썼습니다: {budget, select, money_usd {금액} tokens {토큰} worker_minutes {작업 시간(분)} attempts {시도} other {{budget}}} {limit} 중 {used}. 늘릴까요?',
  'engine.trouble.budget.decide.call':
    '{role} 호출 하나의 예산을 다 썼습니다: {budget, select, money_usd {금액} tokens {토큰} worker_minutes {작업 시간(분)} attempts {시도} other {{budget}}} {limit} 중 {used}. 늘릴까요?',
  'engine.trouble.budget.why.no':
    '한도를 넘어서는 작업자는 시작하지 않습니다. 예산 추가로만 이어집니다. 같은 양이 한 번 더해집니다.',
  'engine.trouble.budget.why.yes':
    '{role}이(가) 한도를 넘어 멈췄고, 쓴 만큼은 계산에 들어갔습니다. 예산 추가로만 이어집니다. 같은 양이 한 번 더해집니다.',
  'engine.trouble.disk.title': '문제: 디스크',
  'engine.trouble.disk.decide': '디스크 공간이 부족해 진행할 수 없습니다. 공간을 비운 뒤 다시 해 볼까요?',
  'engine.trouble.disk.why': '잃은 것은 없고, 시작한 작업자도 없습니다.',
  'engine.trouble.processes_left.title': '문제: 프로세스',
  'engine.trouble.processes_left.decide':
    '중단된 작업자의 프로세스가 끝나지 않습니다({pids}). 다시 해 볼까요?',
  'engine.trouble.processes_left.why': '그 옆에서 새 작업자를 시작하면 서로 방해할 수 있습니다.',
  'engine.trouble.tree_changed.title': '문제: 파일 변경',
  'engine.trouble.tree_changed.decide':
    '읽기만 해야 하는 {role} 작업 중에 파일 {count}개가 바뀌었습니다. 계속할까요?',
  'engine.trouble.tree_changed.why':
    '바뀐 파일: {paths}. Baton은 폴더의 내용을 되돌리지 않습니다. 직접 바꾸신 것이면 계속하세요.',
  'engine.trouble.unknown_effect.title': '문제: 실행 여부 불명',
  'engine.trouble.unknown_effect.decide': '다음 작업 중에 중단되었습니다: {what}. 실제로 실행되었나요?',
  'engine.trouble.unknown_effect.why': '여기서는 확인할 수 없고, 두 번 하면 문제가 될 수 있습니다.',
  'engine.trouble.option.retry': '다시 시도',
  'engine.trouble.option.retry.says': '같은 단계를 한 번 더 합니다',
  'engine.trouble.option.extend': '예산 추가',
  'engine.trouble.option.extend.says': '같은 예산을 한 번 더 더하고 계속합니다',
  'engine.trouble.option.go_on': '계속',
  'engine.trouble.option.go_on.says': '변경을 그대로 두고 작업 결과를 받습니다',
  'engine.trouble.option.again': '다시 하기',
  'engine.trouble.option.again.says': '단계를 처음부터 다시 시작합니다',
  'engine.trouble.option.happened': '실행되었음',
  'engine.trouble.option.happened.says': '확인된 것으로 보고 계속합니다',
  'engine.trouble.option.stop': '중단',
  'engine.trouble.option.stop.says': '잃는 것은 없습니다. baton resume으로 다시 볼 수 있습니다',
} as const satisfies Record<EngineMessageId, string>;

/** What the engine itself says. A key missing from `ko`, or one that `en` does not have, does not compile. */
export const engineMessages: Readonly<Record<'en' | 'ko', Catalogue & Record<EngineMessageId, string>>> = {
  en,
  ko,
};
