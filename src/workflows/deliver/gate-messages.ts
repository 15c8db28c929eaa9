const en = {
  'deliver.alters_checks': 'This change alters how it is checked: {files}',
  'deliver.config_uncommitted':
    'The baton.yaml in your folder is used for this run. It is not the one of the commit the run works on.',

  'deliver.session.title': 'Session',
  'deliver.session.decide':
    'Run {run} already works {subject, select, checkout {in this folder} other {on {subject}}}. Go on with it?',
  'deliver.session.other': 'It is about: {title}',
  'deliver.session.phase':
    'It is at: {phase, select, setup {setup} plan_ready {plan, ready} planning {plan, in progress} plan_done {plan, complete} generate_ready {generate, ready} generating {generate, in progress} generate_done {generate, complete} verify_ready {verify, ready} verifying {verify, running checks} verify_done {verify, complete} evaluate_ready {evaluate, ready} evaluating {evaluate, in progress} evaluate_done {evaluate, complete} completed {completed, the last question is open} other {not known}}',
  'deliver.session.resume': 'Resume',
  'deliver.session.resume.leads': 'go on with that run from where it is; the task you typed now is not used',
  'deliver.session.restart': 'Restart',
  'deliver.session.restart.leads': 'give up that run for good (its log is kept), then go on with this one',
  'deliver.session.stop': 'Stop',
  'deliver.session.stop.leads': 'give up that run for good (its log is kept) and start nothing new',
  'deliver.session.view': 'View only',
  'deliver.session.view.leads': 'show that run and change nothing; the task you typed now is not used',
  'deliver.session.waiting': 'Waiting for run {run} to end.',

  'deliver.conflict.title': 'Session conflict',
  'deliver.conflict.decide':
    'Run {run} of the workflow {workflow} is still alive in this folder. Give it up and start this one?',
  'deliver.conflict.delete_and_start': 'Delete and start',
  'deliver.conflict.delete_and_start.leads':
    'the other run is given up, its log stays readable; this one starts',
  'deliver.conflict.cancel': 'Cancel',
  'deliver.conflict.cancel.leads': 'nothing is started and nothing is changed',

  'deliver.mode.title': 'Mode',
  'deliver.mode.decide': 'How many specialists should plan this change?',
  'deliver.mode.why':
    'Two independent views catch most of what one overlooks. No run has been measured here yet, so workers are counted.',
  'deliver.mode.standard': 'standard',
  'deliver.mode.standard.leads': '2 specialists, one synthesis, a reviewed plan; 7 workers without repairs',
  'deliver.mode.single': 'single',
  'deliver.mode.single.leads': '1 worker plans, 1 builds, 1 evaluates; 3 workers without repairs',
  'deliver.mode.multi': 'multi',
  'deliver.mode.multi.leads':
    '3 specialists with cross-critique, two plan reviews; 12 workers without repairs',

  'deliver.model.title': 'Model',
  'deliver.model.decide': 'Which models should the workers use (mode {mode})?',
  'deliver.model.why': 'balanced writes with sonnet and thinks with opus.',
  'deliver.model.form': 'Your own: executor:<m>,advisor:<m>,evaluator:<m> with opus, sonnet or haiku.',
  'deliver.model.bad':
    '"{bad}" could not be read. Allowed: opus, sonnet, haiku for executor, advisor, evaluator.',
  'deliver.model.balanced': 'balanced',
  'deliver.model.balanced.leads': 'sonnet builds, opus advises and evaluates',
  'deliver.model.default': 'default',
  'deliver.model.default.leads': 'the default model of the agent for everything',
  'deliver.model.all_opus': 'all-opus',
  'deliver.model.all_opus.leads': 'opus for everything; the most costly',
  'deliver.model.economy': 'economy',
  'deliver.model.economy.leads': 'haiku builds, sonnet advises and evaluates; the cheapest',
  'deliver.model.custom': 'custom',
  'deliver.model.custom.leads': 'type your own, for example executor:sonnet,advisor:opus',

  'deliver.spec.title': 'Spec',
  'deliver.spec.decide':
    'Build this? Specification revision {revision} with {criteria, plural, one {# criterion} other {# criteria}}.',
  'deliver.spec.costly':
    'From here on it costs: {mode, select, single {one worker builds} standard {three workers plan, review and build} other {four workers plan, review and build}}, then checks, repairs and an evaluation follow.',
  'deliver.spec.requests': 'Changes you asked for, oldest first:',
  'deliver.spec.request': '{n}. {text}',
  'deliver.spec.from': 'It must keep every criterion of the approved spec of {run}.',
  'deliver.to_read': 'To read: {own, select, yes {baton show {run} {name}} other {{path}}}',
  'deliver.spec.proceed': 'Proceed',
  'deliver.spec.proceed.leads': 'start building exactly this revision',
  'deliver.spec.modify': 'Modify',
  'deliver.spec.modify.leads': 'say what to change, or give the edited text; you will see the new revision',
  'deliver.spec.stop': 'Stop',
  'deliver.spec.stop.leads': 'nothing is lost; resuming shows this again',

  'deliver.verify.title': 'Verify',
  'deliver.verify.decide':
    'The checks fail{used, plural, =0 {} one { after # repair of {cap}} other { after # repairs of {cap}}}. What now?',
  'deliver.verify.error': 'Latest error: {error}',
  'deliver.verify.stalled':
    'Two repairs in a row left exactly the same failures, so no further one was tried. One more: baton deliver generate --run {run}',
  'deliver.verify.autofix_used':
    'The auto-fix of this run is used ({applied, select, stopped {applied, the checks still fail} rejected {not applied} verified {applied earlier} other {{applied}}}).',
  'deliver.verify.model': 'The proposal costs one call of {model}.',
  'deliver.verify.old':
    '{check}: {n, plural, one {# failure is} other {# failures are}} old and not counted.',
  'deliver.verify.cut': 'More files changed than can be judged one by one; this cannot be let through.',
  'deliver.verify.refused': 'The worker was refused: {what}.',
  'deliver.verify.item': 'a repair of {what}',
  'deliver.verify.left': 'A repair is left. To have it made: baton deliver generate --run {run}',
  'deliver.verify.by_hand':
    'You can also repair by hand{own, select, yes { in the work tree that baton status {run} names,} other {}} and run: baton deliver verify --run {run}',
  'deliver.verify.auto_fix': 'Auto-fix proposal',
  'deliver.verify.auto_fix.leads':
    'one worker proposes one patch; you see it before it is applied; once per run',
  'deliver.verify.continue': 'Continue to Evaluator',
  'deliver.verify.continue.leads':
    'let the failing checks through under your name; a failing build or test still prevents a pass',
  'deliver.verify.stop': 'Stop',
  'deliver.verify.stop.leads': 'halt here; resuming shows this again',

  'deliver.auto_fix.title': 'Auto-fix',
  'deliver.auto_fix.decide':
    'Apply this patch? Confidence {confidence}, {n, plural, one {# file} other {# files}}, {hunks, plural, one {# part} other {# parts}}.',
  'deliver.auto_fix.targets': 'It changes: {files}',
  'deliver.auto_fix.model': 'Proposed by {model} (models {models}), one call.',
  'deliver.auto_fix.limitations': 'Limits: {text}',
  'deliver.auto_fix.caution':
    'Caution: the confidence of this patch is {confidence}. Read every line before you apply it.',
  'deliver.auto_fix.apply': 'Apply patch',
  'deliver.auto_fix.apply.leads': 'all of it or nothing, then one pass of the checks',
  'deliver.auto_fix.reject': 'Reject',
  'deliver.auto_fix.reject.leads': 'back to the question before; the auto-fix is used up',
  'deliver.auto_fix.stop': 'Stop',
  'deliver.auto_fix.stop.leads': 'halt without applying it; the auto-fix is used up',

  'deliver.qa.title': 'QA',
  'deliver.qa.decide':
    'The evaluation {layer, select, two {failed at layer 2, the checklist} three {failed at layer 3, the whole} other {gave no valid result}}{open, plural, =0 {} one {: # open item} other {: # open items}}. Another round? This is round {round} of {of}.',
  'deliver.qa.spent':
    '{n, plural, one {# automatic repair was} other {# automatic repairs were}} spent on it.',
  'deliver.qa.no_evaluation': 'No valid evaluation came after all tries; nothing is known about the change.',
  'deliver.qa.instruction': 'To do: {text}',
  'deliver.qa.waived': 'Failing checks were let through by {by}: {error}',
  'deliver.qa.item': 'a decision on {what}',
  'deliver.qa.more': 'a decision on {n} more, which are in the report',
  'deliver.qa.fix': 'Fix',
  'deliver.qa.fix.leads': 'a new round with these points, from the plan of the work to a new evaluation',
  'deliver.qa.accept': 'Accept as-is',
  'deliver.qa.accept.leads':
    'close the run under your name with the open items on record; it does not count as passed',

  'deliver.wipe.title': 'Wipe',
  'deliver.wipe.decide':
    'Remove everything below {base}? {n, plural, one {# folder} other {# folders}}, {files, plural, one {# file} other {# files}}. This cannot be taken back here.',
  'deliver.wipe.folder': '{name}: {n, plural, one {# file} other {# files}}',
  'deliver.wipe.memory': 'This includes memory: what was learned over many runs would be gone.',
  'deliver.wipe.ignored': 'git ignores {base}: no commit has a copy of it.',
  'deliver.wipe.no': 'No',
  'deliver.wipe.no.leads': 'leave everything as it is',
  'deliver.wipe.yes': 'Yes, wipe',
  'deliver.wipe.yes.leads': 'remove all of it now; the record of the runs stays',

  'deliver.commit.title': 'Commit',
  'deliver.commit.decide':
    '{reason, select, qa_pass {Passed, {met} of {of} criteria with evidence.} altered {Altered after it was judged, not passed.} accepted_as_is {Accepted as it is, not passed.} other {Not passed, all rounds are used.}} Commit {files, plural, one {# file} other {# files}}?',
  'deliver.commit.lines': 'Lines: +{added} −{removed}',
  'deliver.commit.reason':
    '{reason, select, qa_pass {Every criterion has evidence} altered {The change is not the one that was judged} accepted_as_is {A person took it with open items} other {All rounds are used and items are open}}.',
  'deliver.commit.branch': 'The commit goes to the branch {branch}; your checkout is not touched.',
  'deliver.commit.in_place': 'The commit goes to the branch you are on.',
  'deliver.commit.failed': 'The last try failed and nothing was removed: {error}',
  'deliver.commit.rewritten':
    'Your hooks change what is committed: {files}. That commit was taken back, because nobody has judged it. The files are shown as the hooks left them; if you commit now, what your hooks make of them is taken, as not judged.',
  'deliver.commit.code_only': 'Code only',
  'deliver.commit.code_only.leads':
    'commit the change with notes, findings and conventions; the other documents stay in the record',
  'deliver.commit.commit_all': 'Commit all',
  'deliver.commit.commit_all.leads': 'commit the change with all documents',
  'deliver.commit.no_commit': 'No commit',
  'deliver.commit.no_commit.leads': 'leave everything uncommitted in your folder',
  'deliver.commit.no_commit.patch': 'commit nothing; the change is kept as a patch in the record',
} as const;

const ko = {
  'deliver.alters_checks': '검사 방법을 바꾸는 변경입니다: {files}',
  'deliver.config_uncommitted':
    '이 실행은 폴더에 있는 baton.yaml을 씁니다. 실행이 작업하는 커밋의 것과 다릅니다.',

  'deliver.session.title': '진행 중인 실행',
  'deliver.session.decide':
    '실행 {run}이(가) 이미 {subject, select, checkout {이 폴더에서} other {{subject}}} 작업을 하고 있습니다. 이어서 할까요?',
  'deliver.session.other': '내용: {title}',
  'deliver.session.phase':
    '현재 단계: {phase, select, setup {준비} plan_ready {계획 준비됨} planning {계획 진행 중} plan_done {계획 완료} generate_ready {구현 준비됨} generating {구현 진행 중} generate_done {구현 완료} verify_ready {검증 준비됨} verifying {검사 실행 중} verify_done {검증 완료} evaluate_ready {평가 준비됨} evaluating {평가 진행 중} evaluate_done {평가 완료} completed {완료, 마지막 질문이 열려 있음} other {알 수 없음}}',
  'deliver.session.resume': '이어서 하기',
  'deliver.session.resume.leads': '앞선 실행을 있던 곳부터 이어서 합니다. 방금 적으신 작업은 쓰지 않습니다',
  'deliver.session.restart': '다시 시작',
  'deliver.session.restart.leads': '앞선 실행을 완전히 포기하고(기록은 남습니다) 이 실행을 진행합니다',
  'deliver.session.stop': '중단',
  'deliver.session.stop.leads': '앞선 실행을 완전히 포기하고(기록은 남습니다) 새로 시작하지 않습니다',
  'deliver.session.view': '보기만',
  'deliver.session.view.leads':
    '앞선 실행을 보여 주고 아무것도 바꾸지 않습니다. 방금 적으신 작업은 쓰지 않습니다',
  'deliver.session.waiting': '실행 {run}이(가) 끝나기를 기다립니다.',

  'deliver.conflict.title': '다른 실행과 겹침',
  'deliver.conflict.decide':
    '{workflow} 워크플로의 실행 {run}이(가) 이 폴더에 살아 있습니다. 그것을 포기하고 이 실행을 시작할까요?',
  'deliver.conflict.delete_and_start': '지우고 시작',
  'deliver.conflict.delete_and_start.leads': '다른 실행을 포기하고(기록은 남습니다) 이 실행을 시작합니다',
  'deliver.conflict.cancel': '취소',
  'deliver.conflict.cancel.leads': '아무것도 시작하지 않고 바꾸지 않습니다',

  'deliver.mode.title': '모드',
  'deliver.mode.decide': '이 변경을 전문가 몇 명이 계획할까요?',
  'deliver.mode.why':
    '독립된 두 시각이면 하나가 놓치는 것을 대부분 찾습니다. 아직 측정한 실행이 없어 작업자 수로 보여 드립니다.',
  'deliver.mode.standard': 'standard',
  'deliver.mode.standard.leads': '전문가 2명, 종합, 검토한 계획. 수정 없이 작업자 7명',
  'deliver.mode.single': 'single',
  'deliver.mode.single.leads': '계획 1명, 구현 1명, 평가 1명. 수정 없이 작업자 3명',
  'deliver.mode.multi': 'multi',
  'deliver.mode.multi.leads': '전문가 3명과 상호 비평, 계획 검토 2건. 수정 없이 작업자 12명',

  'deliver.model.title': '모델',
  'deliver.model.decide': '작업자에게 어떤 모델을 쓸까요({mode} 모드)?',
  'deliver.model.why': 'balanced는 sonnet으로 쓰고 opus로 판단합니다.',
  'deliver.model.form': '직접 적기: executor:<m>,advisor:<m>,evaluator:<m> (opus, sonnet, haiku).',
  'deliver.model.bad':
    '"{bad}"을(를) 읽지 못했습니다. executor, advisor, evaluator에 opus, sonnet, haiku만 됩니다.',
  'deliver.model.balanced': 'balanced',
  'deliver.model.balanced.leads': 'sonnet이 구현하고 opus가 조언과 평가를 합니다',
  'deliver.model.default': 'default',
  'deliver.model.default.leads': '모두 에이전트의 기본 모델을 씁니다',
  'deliver.model.all_opus': 'all-opus',
  'deliver.model.all_opus.leads': '모두 opus를 씁니다. 가장 비쌉니다',
  'deliver.model.economy': 'economy',
  'deliver.model.economy.leads': 'haiku가 구현하고 sonnet이 조언과 평가를 합니다. 가장 쌉니다',
  'deliver.model.custom': 'custom',
  'deliver.model.custom.leads': '직접 적습니다. 예: executor:sonnet,advisor:opus',

  'deliver.spec.title': '명세',
  'deliver.spec.decide': '이대로 만들까요? 명세 {revision}판, 기준 {criteria}개.',
  'deliver.spec.costly':
    '여기서부터 비용이 듭니다. {mode, select, single {작업자 1명이 구현하고} standard {작업자 3명이 계획, 검토, 구현을 하고} other {작업자 4명이 계획, 검토, 구현을 하고}}, 이어서 검사와 수정, 평가를 합니다.',
  'deliver.spec.requests': '요청하신 수정(오래된 순):',
  'deliver.spec.request': '{n}. {text}',
  'deliver.spec.from': '{run}에서 승인된 명세의 기준을 모두 지켜야 합니다.',
  'deliver.to_read': '읽어 보기: {own, select, yes {baton show {run} {name}} other {{path}}}',
  'deliver.spec.proceed': '진행',
  'deliver.spec.proceed.leads': '바로 이 판을 만들기 시작합니다',
  'deliver.spec.modify': '수정',
  'deliver.spec.modify.leads': '바꿀 내용이나 고친 글을 적으면 새 판을 보여 드립니다',
  'deliver.spec.stop': '중단',
  'deliver.spec.stop.leads': '잃는 것은 없습니다. 재개하면 다시 보여 드립니다',

  'deliver.verify.title': '검증',
  'deliver.verify.decide':
    '검사가 실패합니다{used, plural, =0 {} other {(수정 {cap}번 중 #번 사용)}}. 어떻게 할까요?',
  'deliver.verify.error': '마지막 오류: {error}',
  'deliver.verify.stalled':
    '두 번 고쳤는데 실패가 똑같아 더 시도하지 않았습니다. 한 번 더: baton deliver generate --run {run}',
  'deliver.verify.autofix_used':
    '이 실행의 자동 수정은 썼습니다({applied, select, stopped {적용했지만 검사가 여전히 실패} rejected {적용하지 않음} verified {앞서 적용함} other {{applied}}}).',
  'deliver.verify.model': '제안에는 {model} 호출이 한 번 듭니다.',
  'deliver.verify.old': '{check}: 전부터 있던 실패 {n}개는 세지 않습니다.',
  'deliver.verify.cut': '하나씩 판단할 수 없을 만큼 많은 파일이 바뀌어 넘어갈 수 없습니다.',
  'deliver.verify.refused': '작업자에게 허용되지 않은 것: {what}.',
  'deliver.verify.item': '고칠 것: {what}',
  'deliver.verify.left': '수정이 남아 있습니다. 수정을 시키려면: baton deliver generate --run {run}',
  'deliver.verify.by_hand':
    '{own, select, yes {baton status {run}에 나오는 작업 트리에서 } other {}}직접 고친 뒤 실행하실 수도 있습니다: baton deliver verify --run {run}',
  'deliver.verify.auto_fix': '자동 수정 제안',
  'deliver.verify.auto_fix.leads':
    '작업자 하나가 패치 하나를 제안합니다. 적용 전에 보여 드리며, 실행마다 한 번입니다',
  'deliver.verify.continue': '평가로 계속',
  'deliver.verify.continue.leads':
    '이름을 남기고 실패한 검사를 넘어갑니다. 빌드나 테스트가 실패하면 통과는 되지 않습니다',
  'deliver.verify.stop': '중단',
  'deliver.verify.stop.leads': '여기서 멈춥니다. 재개하면 다시 보여 드립니다',

  'deliver.auto_fix.title': '자동 수정',
  'deliver.auto_fix.decide': '이 패치를 적용할까요? 확신 {confidence}, 파일 {n}개, 변경 부분 {hunks}개.',
  'deliver.auto_fix.targets': '바꾸는 파일: {files}',
  'deliver.auto_fix.model': '{model}이(가) 제안했습니다(모델 설정 {models}). 호출 한 번.',
  'deliver.auto_fix.limitations': '한계: {text}',
  'deliver.auto_fix.caution':
    '주의: 이 패치의 확신은 {confidence}입니다. 적용하기 전에 모든 줄을 읽어 주세요.',
  'deliver.auto_fix.apply': '패치 적용',
  'deliver.auto_fix.apply.leads': '전부 적용하거나 전혀 적용하지 않습니다. 이어서 검사를 한 번 합니다',
  'deliver.auto_fix.reject': '거절',
  'deliver.auto_fix.reject.leads': '앞의 질문으로 돌아갑니다. 자동 수정은 다시 쓸 수 없습니다',
  'deliver.auto_fix.stop': '중단',
  'deliver.auto_fix.stop.leads': '적용하지 않고 멈춥니다. 자동 수정은 다시 쓸 수 없습니다',

  'deliver.qa.title': 'QA',
  'deliver.qa.decide':
    '평가 결과: {layer, select, two {2층(점검표) 실패} three {3층(전체) 실패} other {올바른 결과 없음}}{open, plural, =0 {} other {, 남은 항목 #개}}. 한 라운드 더 할까요? 지금은 {of}개 중 {round} 라운드입니다.',
  'deliver.qa.spent': '자동 수정을 {n}번 했습니다.',
  'deliver.qa.no_evaluation': '여러 번 시도했지만 올바른 평가가 없어, 변경에 대해 알 수 있는 것이 없습니다.',
  'deliver.qa.instruction': '할 일: {text}',
  'deliver.qa.waived': '{by} 님이 실패한 검사를 넘어갔습니다: {error}',
  'deliver.qa.item': '결정할 것: {what}',
  'deliver.qa.more': '{n}개가 보고서에 더 있습니다',
  'deliver.qa.fix': '고치기',
  'deliver.qa.fix.leads': '이 항목으로 새 라운드를 합니다. 작업 계획부터 새 평가까지입니다',
  'deliver.qa.accept': '있는 그대로 받기',
  'deliver.qa.accept.leads': '남은 항목을 기록하고 이름을 남겨 닫습니다. 통과로 치지 않습니다',

  'deliver.wipe.title': '모두 지우기',
  'deliver.wipe.decide':
    '{base} 아래를 모두 지울까요? 폴더 {n}개, 파일 {files}개. 여기서는 되돌릴 수 없습니다.',
  'deliver.wipe.folder': '{name}: 파일 {n}개',
  'deliver.wipe.memory': 'memory도 들어 있습니다. 여러 실행에서 배운 것이 사라집니다.',
  'deliver.wipe.ignored': 'git이 {base}를 무시합니다. 커밋에 사본이 없습니다.',
  'deliver.wipe.no': '아니요',
  'deliver.wipe.no.leads': '모두 그대로 둡니다',
  'deliver.wipe.yes': '네, 지웁니다',
  'deliver.wipe.yes.leads': '지금 모두 지웁니다. 실행의 기록은 남습니다',

  'deliver.commit.title': '커밋',
  'deliver.commit.decide':
    '{reason, select, qa_pass {통과했습니다. 근거가 있는 기준 {of}개 중 {met}개.} altered {판정 뒤에 바뀌어 통과가 아닙니다.} accepted_as_is {있는 그대로 받았습니다. 통과는 아닙니다.} other {통과하지 못했고 라운드를 모두 썼습니다.}} 파일 {files}개를 커밋할까요?',
  'deliver.commit.lines': '줄: +{added} −{removed}',
  'deliver.commit.reason':
    '{reason, select, qa_pass {모든 기준에 근거가 있습니다} altered {판정받은 변경과 다릅니다} accepted_as_is {사람이 남은 항목이 있는 채로 받아들였습니다} other {라운드를 모두 썼고 남은 항목이 있습니다}}.',
  'deliver.commit.branch': '커밋은 브랜치 {branch}에 들어갑니다. 작업 폴더는 건드리지 않습니다.',
  'deliver.commit.in_place': '커밋은 지금 계신 브랜치에 들어갑니다.',
  'deliver.commit.failed': '지난번에 실패했고 지운 것은 없습니다: {error}',
  'deliver.commit.rewritten':
    '훅이 커밋되는 내용을 바꿉니다: {files}. 아무도 판정하지 않은 것이라 그 커밋은 되돌렸습니다. 파일은 훅이 남긴 그대로 보여 드립니다. 지금 커밋을 고르시면 훅이 만드는 것을 판정되지 않은 것으로 받습니다.',
  'deliver.commit.code_only': '코드만',
  'deliver.commit.code_only.leads': '변경과 메모, 비평, 규칙을 커밋합니다. 다른 문서는 기록에 남습니다',
  'deliver.commit.commit_all': '모두 커밋',
  'deliver.commit.commit_all.leads': '변경과 모든 문서를 커밋합니다',
  'deliver.commit.no_commit': '커밋 안 함',
  'deliver.commit.no_commit.leads': '모두 커밋하지 않은 채 폴더에 둡니다',
  'deliver.commit.no_commit.patch': '커밋하지 않습니다. 변경은 패치로 기록에 남습니다',
} as const satisfies Record<keyof typeof en, string>;

/** What gates say. A key missing from a language does not compile. */
export const gateMessages = { en, ko };
