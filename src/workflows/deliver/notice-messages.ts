const en = {
  'deliver.notice.setup':
    'Setup done. Folder {folder}{branch, select, none {} other {, branch {branch}}}; mode {mode}, models {models}, verifier {verifier}, style {style}, language {lang}. Build: {build}; test: {test}; lint: {lint}; types: {types}. Scope: {scope, select, none {(no limit)} other {{scope}}}. Output: {output}',
  'deliver.notice.verifier':
    'The verifier is {verifier}. It only shortens logs for people, so a small model would do.',
  'deliver.notice.no_commands':
    'No build, test, lint or type check was found: nothing will be executed, and a pass will say so. Name commands in baton.yaml or by option.',
  'deliver.notice.models_bad': 'No readable models after {n} tries: balanced is used.',
  'deliver.notice.baseline_clean': 'Baseline: every check passes on the untouched tree.',
  'deliver.notice.baseline_failing':
    'Baseline: {check} already fails on the untouched tree{n, plural, =0 {} one { (# failure)} other { (# failures)}}. Old failures are not counted.',
  'deliver.notice.unreadable': '{file} exists but could not be read. Planning goes on without it.',
  'deliver.notice.conventions_handed_over': 'Conventions: handed over by an earlier run.',
  'deliver.notice.conventions_missing': 'The stored conventions are gone; the step is done again.',
  'deliver.notice.worker': '{role}: {line}',
  'deliver.notice.worker_done': '{role}: done.',
  'deliver.notice.worker_failed':
    '{role}: no usable result after {attempts, plural, one {# try} other {# tries}} ({reason, select, dispatch_failed {nothing came} other {it did not fit}}).',
  'deliver.notice.proposals': 'Proposals: {n} of {of}.',
  'deliver.notice.critiques': 'Critiques: {n} of {of}.',
  'deliver.notice.reviews': 'Reviews: {n} of {of}.',
  'deliver.notice.spec':
    'Specification revision {revision}: {criteria, plural, one {# criterion} other {# criteria}}, {edges, plural, one {# edge case} other {# edge cases}}.',
  'deliver.notice.approved': 'Revision {revision} approved by {by}.',
  'deliver.notice.ticket_plan':
    'Revision {revision} goes on without a question: {by} accepted the plan of ticket {ticket}.',
  'deliver.notice.ticket_commit':
    'It is committed on its own branch without a question: ticket {ticket} asks before anything is released.',
  'deliver.notice.modify': 'Change asked for: a new revision is written.',
  'deliver.notice.revision_failed':
    'No new revision came of it. The one you saw is still there; ask again or proceed.',
  'deliver.notice.changes': '{n, plural, =0 {No file} one {# file} other {# files}} changed.',
  'deliver.notice.changes_lines': '{n, plural, one {# file} other {# files}} changed, +{added} −{removed}.',
  'deliver.notice.alters_checks': 'The change alters how it is checked: {files}.',
  'deliver.notice.git_touched':
    'The worker changed {n, plural, one {a control file} other {# control files}} of its own git directory: {files}. Baton never runs what stands there, and none of it reaches your repository.',
  'deliver.notice.your_git_touched':
    'While an author worked, {n, plural, one {a control file} other {# control files}} of your own git directory changed: {files}. Git runs what stands there, hooks at the commit included: look at it first.',
  'deliver.notice.ignored_written':
    'While workers worked, files that git ignores were written ({n}): {files}. No commit has them, and a check may rest on them.',
  'deliver.notice.layer1_pass': 'Checks: PASS.',
  'deliver.notice.layer1_nothing': 'Checks: PASS, but nothing was executed.',
  'deliver.notice.layer1_fail': 'Checks: FAIL. {error}',
  'deliver.notice.repair': 'Repair, layer {layer}, {attempt} of {cap}: {error}',
  'deliver.notice.repair_begins': 'Repair, layer {layer}, {attempt} of {cap}.',
  'deliver.notice.waived': 'The failing checks are let through by {by}.',
  'deliver.notice.autofix_asked': 'One patch is asked for. It is shown before anything is applied.',
  'deliver.notice.autofix_files': 'Auto-fix reads: {files}.',
  'deliver.notice.file_dropped': 'Not read, because the path is not allowed: {path}',
  'deliver.notice.no_failing_files':
    'The report names no file that may be read; the proposal rests on the report alone.',
  'deliver.notice.autofix_none': 'No proposal came. The auto-fix is still yours to ask for.',
  'deliver.notice.autofix_proposed': 'Auto-fix proposed, confidence {confidence}. Targets: {files}.',
  'deliver.notice.autofix_applied': 'Patch applied. One pass of the checks follows.',
  'deliver.notice.autofix_reverted':
    'The patch could not be applied ({reason}); reverted, the tree is as before.',
  'deliver.notice.autofix_rejected':
    'Auto-fix not used: {reason, select, empty_patch {there was no patch} path_violation {it touched a path it may not} failed_hunk {a part did not fit} refused_kind {it was more than text edits} rejected_by_user {rejected} stopped_by_user {stopped} other {{reason}}}.',
  'deliver.notice.verdict':
    'Evaluation: {verdict, select, PASS {PASS} FAIL_L2 {FAIL, layer 2} FAIL_L3 {FAIL, layer 3} other {no valid result}}. {met} of {of} criteria with evidence, {open} open.',
  'deliver.notice.round': 'Round {round} of {of} begins.',
  'deliver.notice.closed':
    '{reason, select, qa_pass {Passed: every criterion has evidence.} accepted_as_is {Accepted as it is; this is not a pass.} other {All rounds are used; this is not a pass.}}',
  'deliver.notice.no_git': 'No git here: the change is in the folder, the documents are in {path}.',
  'deliver.notice.left': 'Nothing was committed. The change stays in your folder, the documents in {path}.',
  'deliver.notice.patch_saved':
    'Nothing was committed. The change is kept as a patch (baton show {run} patch) and in the tree of the run; the documents are in its {path}.',
  'deliver.notice.not_staged': 'Left out of the commit: {path} ({why}).',
  'deliver.notice.unbound': 'The agent has no "{name}" for the role {role}; the plain role is used.',
  'deliver.notice.baseline_unavailable':
    'Baseline: {check} cannot be run here: {command}, or a program it calls, was not found. It will not be executed.',
  'deliver.notice.installed': 'Installed what the checks need: {command}',
  'deliver.notice.install_failed':
    '{command} failed ({exit, select, 127 {{program} was not found on the PATH} other {exit {exit}}}); checks that need it will fail or not run. See: baton show {run} install_output',
  'deliver.notice.base': 'It starts from commit {base}; what you have not committed is not in it.',
  'deliver.notice.altered':
    'The change is not what was judged any more: somebody altered it since. It does not count as passed.',
  'deliver.notice.committed': 'Committed{commit, select, none {} other { as {commit}}}.',
  'deliver.notice.removing': 'To be removed from {path}; the record of the run keeps them: {files}.',
  'deliver.notice.commit_failed': 'The commit failed, nothing was removed: {error}',
  'deliver.notice.on_branch': 'On branch {branch}.',
  'deliver.notice.published': 'On branch {branch}. To take it over: git merge {branch}',
  'deliver.notice.wiped': 'Everything below {base} was removed.',
  'deliver.notice.not_wiped': 'Nothing was removed.',
  'deliver.notice.abandoned': 'Given up by {by}. The log and all artefacts are kept.',
} as const;

const ko = {
  'deliver.notice.setup':
    '준비 완료. 폴더 {folder}{branch, select, none {} other {, 브랜치 {branch}}}, 모드 {mode}, 모델 {models}, 검증 모델 {verifier}, 방식 {style}, 언어 {lang}. 빌드: {build}, 테스트: {test}, 린트: {lint}, 타입: {types}. 범위: {scope, select, none {(제한 없음)} other {{scope}}}. 결과: {output}',
  'deliver.notice.verifier':
    '검증 모델이 {verifier}입니다. 사람을 위해 로그를 줄이는 데만 쓰므로 작은 모델로도 충분합니다.',
  'deliver.notice.no_commands':
    '빌드, 테스트, 린트, 타입 검사를 찾지 못했습니다. 실행하는 검사가 없으며, 통과하더라도 그렇게 표시합니다. baton.yaml이나 옵션으로 명령을 정해 주세요.',
  'deliver.notice.models_bad': '{n}번 모두 모델을 읽을 수 없어 balanced를 씁니다.',
  'deliver.notice.baseline_clean': '기준선: 손대기 전의 트리에서 모든 검사가 통과합니다.',
  'deliver.notice.baseline_failing':
    '기준선: {check}은(는) 손대기 전에도 실패합니다{n, plural, =0 {} other {(#개)}}. 전부터 있던 실패는 세지 않습니다.',
  'deliver.notice.unreadable': '{file}이(가) 있지만 읽지 못했습니다. 없는 것으로 하고 계획합니다.',
  'deliver.notice.conventions_handed_over': '규칙: 앞선 실행에서 넘겨받았습니다.',
  'deliver.notice.conventions_missing': '저장한 규칙이 사라져 이 단계를 다시 합니다.',
  'deliver.notice.worker': '{role}: {line}',
  'deliver.notice.worker_done': '{role}: 완료.',
  'deliver.notice.worker_failed':
    '{role}: {attempts}번 시도했지만 쓸 만한 결과가 없습니다({reason, select, dispatch_failed {결과 없음} other {형식에 맞지 않음}}).',
  'deliver.notice.proposals': '제안: {of}개 중 {n}개.',
  'deliver.notice.critiques': '상호 비평: {of}개 중 {n}개.',
  'deliver.notice.reviews': '검토: {of}개 중 {n}개.',
  'deliver.notice.spec': '명세 {revision}판: 기준 {criteria}개, 예외 상황 {edges}개.',
  'deliver.notice.approved': '{by} 님이 {revision}판을 승인했습니다.',
  'deliver.notice.ticket_plan':
    '{by} 님이 티켓 {ticket}의 계획을 승인했으므로 {revision}판을 묻지 않고 진행합니다.',
  'deliver.notice.ticket_commit':
    '자기 브랜치에 묻지 않고 커밋합니다. 릴리스 전에 티켓 {ticket}에서 묻습니다.',
  'deliver.notice.modify': '수정 요청을 받았습니다. 새 판을 씁니다.',
  'deliver.notice.revision_failed':
    '새 판을 만들지 못했습니다. 보신 판은 그대로 있습니다. 다시 요청하거나 진행해 주세요.',
  'deliver.notice.changes': '파일 {n}개가 바뀌었습니다.',
  'deliver.notice.changes_lines': '파일 {n}개가 바뀌었습니다, +{added} −{removed}.',
  'deliver.notice.alters_checks': '검사 방법을 바꾸는 변경이 있습니다: {files}.',
  'deliver.notice.git_touched':
    '작업자가 자기 git 디렉터리의 제어 파일 {n}개를 바꿨습니다: {files}. Baton은 그 내용을 실행하지 않으며, 저장소에는 아무것도 전해지지 않습니다.',
  'deliver.notice.your_git_touched':
    '작성자가 일하는 동안 사용자의 git 디렉터리에서 제어 파일 {n}개가 바뀌었습니다: {files}. git은 그 내용을 실행하며, 커밋할 때의 훅도 포함됩니다. 먼저 확인하세요.',
  'deliver.notice.ignored_written':
    '작업자가 일하는 동안 git이 무시하는 파일이 쓰였습니다({n}개): {files}. 어느 커밋에도 없으며, 검사가 이에 의존할 수 있습니다.',
  'deliver.notice.layer1_pass': '검사: PASS.',
  'deliver.notice.layer1_nothing': '검사: PASS. 다만 실행한 검사가 없습니다.',
  'deliver.notice.layer1_fail': '검사: FAIL. {error}',
  'deliver.notice.repair': '수정, {layer}층, {cap}번 중 {attempt}번째: {error}',
  'deliver.notice.repair_begins': '수정, {layer}층, {cap}번 중 {attempt}번째.',
  'deliver.notice.waived': '{by} 님이 실패한 검사를 넘어가기로 했습니다.',
  'deliver.notice.autofix_asked': '패치를 하나 요청합니다. 적용하기 전에 보여 드립니다.',
  'deliver.notice.autofix_files': '자동 수정이 읽을 파일: {files}.',
  'deliver.notice.file_dropped': '허용되지 않는 경로라 읽지 않습니다: {path}',
  'deliver.notice.no_failing_files': '보고서에 읽을 수 있는 파일이 없어 보고서만 보고 제안합니다.',
  'deliver.notice.autofix_none': '제안이 오지 않았습니다. 자동 수정은 아직 쓸 수 있습니다.',
  'deliver.notice.autofix_proposed': '자동 수정 제안, 확신 {confidence}. 대상: {files}.',
  'deliver.notice.autofix_applied': '패치를 적용했습니다. 검사를 한 번 더 합니다.',
  'deliver.notice.autofix_reverted': '패치를 적용하지 못했습니다({reason}). 되돌렸고 트리는 전과 같습니다.',
  'deliver.notice.autofix_rejected':
    '자동 수정을 쓰지 않습니다: {reason, select, empty_patch {패치가 없음} path_violation {허용되지 않은 경로} failed_hunk {맞지 않는 부분이 있음} refused_kind {글 편집이 아닌 변경} rejected_by_user {거절함} stopped_by_user {멈춤} other {{reason}}}.',
  'deliver.notice.verdict':
    '평가: {verdict, select, PASS {PASS} FAIL_L2 {FAIL, 2층} FAIL_L3 {FAIL, 3층} other {올바른 결과 없음}}. 근거가 있는 기준 {of}개 중 {met}개, 남은 항목 {open}개.',
  'deliver.notice.round': '{of}개 중 {round} 라운드를 시작합니다.',
  'deliver.notice.closed':
    '{reason, select, qa_pass {통과: 모든 기준에 근거가 있습니다.} accepted_as_is {있는 그대로 받아들였습니다. 통과는 아닙니다.} other {라운드를 모두 썼습니다. 통과는 아닙니다.}}',
  'deliver.notice.no_git': 'git이 없습니다. 변경은 폴더에, 문서는 {path}에 있습니다.',
  'deliver.notice.left': '커밋하지 않았습니다. 변경은 폴더에, 문서는 {path}에 그대로 있습니다.',
  'deliver.notice.patch_saved':
    '커밋하지 않았습니다. 변경은 패치로 남겼고(baton show {run} patch) 실행의 트리에도 있습니다. 문서는 그 안의 {path}에 있습니다.',
  'deliver.notice.not_staged': '커밋에서 뺐습니다: {path} ({why}).',
  'deliver.notice.unbound': '에이전트에 {role} 역할을 맡을 "{name}"이 없어 기본 역할을 씁니다.',
  'deliver.notice.baseline_unavailable':
    '기준 검사: {check}를 여기서 실행할 수 없습니다({command} 또는 그것이 부르는 프로그램 없음). 실행하지 않습니다.',
  'deliver.notice.installed': '검사에 필요한 것을 설치했습니다: {command}',
  'deliver.notice.install_failed':
    '{command} 실패({exit, select, 127 {PATH에 {program} 없음} other {종료 코드 {exit}}}). 이것이 필요한 검사는 실패하거나 실행되지 않습니다. 보기: baton show {run} install_output',
  'deliver.notice.base': '커밋 {base}에서 시작합니다. 커밋하지 않은 작업은 들어 있지 않습니다.',
  'deliver.notice.altered': '판정 뒤에 변경 내용이 바뀌었습니다. 통과로 치지 않습니다.',
  'deliver.notice.committed': '커밋했습니다{commit, select, none {} other {: {commit}}}.',
  'deliver.notice.removing': '{path}에서 지울 문서입니다. 실행 기록에는 남습니다: {files}.',
  'deliver.notice.commit_failed': '커밋하지 못했습니다. 지운 것은 없습니다: {error}',
  'deliver.notice.on_branch': '브랜치 {branch}에 있습니다.',
  'deliver.notice.published': '브랜치 {branch}에 있습니다. 가져오려면: git merge {branch}',
  'deliver.notice.wiped': '{base} 아래를 모두 지웠습니다.',
  'deliver.notice.not_wiped': '지운 것이 없습니다.',
  'deliver.notice.abandoned': '{by} 님이 포기했습니다. 기록과 결과물은 모두 남습니다.',
} as const satisfies Record<keyof typeof en, string>;

/** Progress and warnings. A key missing from a language does not compile. */
export const noticeMessages = { en, ko };
