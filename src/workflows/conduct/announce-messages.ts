const en = {
  'conduct.start.head': '{ticket} starts at {state}, mode {mode}.',
  'conduct.start.controlled': 'Every gate waits for you.',
  'conduct.start.partial':
    'It pauses at {gate} and at every gate after it; gates before {gate} are accepted for you. Release and verify always wait for you.',
  'conduct.start.unattended': 'Forward gates are accepted for you. Release and verify always wait for you.',
  'conduct.start.escalate':
    'Each forward gate is judged: one worth your opinion waits, a routine one is accepted for you. Release and verify always wait for you.',
  'conduct.start.risk_floor':
    'Risk floor: a gate that touches {classes} waits for you, regardless of mode or dial.',
  'conduct.start.recorded': 'Gates accepted for you are recorded as Accepted decisions like any other.',

  'conduct.dial.unknown': 'The trust dial holds "{value}", which is no level. It counts as cautious.',
  'conduct.dial.ignored':
    'The trust dial is {level}: {flag} is ignored and every gate waits for you (controlled).',
  'conduct.dial.change': 'To allow it: baton trust balanced. Then: baton conduct {ticket} {flag}',

  'conduct.pause.iteration': 'Revision {n} of this brief.',
  'conduct.pause.gate':
    '{ticket} waits for you at the {gate} gate{track, select, none {} other {, {track} track}}.',
  'conduct.pause.stale':
    'What this ticket rests on has changed. A stale ticket goes no further in any mode; a patch is drafted for you.',
  'conduct.pause.review': 'This is a patch to review. It is yours in every mode.',
  'conduct.pause.question':
    'These are questions only you can answer. Decisions can be handed over, answers cannot.',
  'conduct.pause.approval': 'This waits for approval by a person in every mode.',
  'conduct.pause.controlled':
    'Nothing is handed over in this run. To hand over forward gates: baton conduct {ticket} --unattended   (or --escalate, or --pause-at <gate>)',
  'conduct.pause.hard-floor':
    '{gate, select, release {Release is one way: it is always yours, {flag} or not.} verify {Verify is one way: it is always yours, {flag} or not.} other {Accepting this ends the ticket at Verified, one way: it is always yours, {flag} or not.}}',
  'conduct.pause.revised':
    'You changed this brief, so it comes back to you. The next gate is tested as usual.',
  'conduct.pause.pause-at': 'Paused here as you asked: {flag}.',
  'conduct.pause.risk-floor': 'Risk floor: {classes}. It pauses regardless of mode or dial.',
  'conduct.pause.escalate': 'Judged worth your opinion:',
  'conduct.pause.judge_silent':
    'It counts as worth your opinion: the judge gave no valid answer, or named no signal.',
  'conduct.pause.mode_holds':
    'Your answer is carried on {ends, select, none {in mode {mode}.} other {with {flag}. Once this drive has ended: baton conduct {ticket} {flag}}}',
  'conduct.pause.no_drive':
    'No drive is open: your answer is carried on controlled, so the next gate waits for you{ends, select, none {.} other {. To hand over again: baton conduct {ticket} {flag}}}',

  'conduct.signal.low-confidence': '- low confidence in the recommendation',
  'conduct.signal.knowledge-gap': '- a gap in what is known',
  'conduct.signal.near-tie': '- alternatives that are nearly as good',
  'conduct.signal.novel': '- new ground, or a precedent',
  'conduct.signal.stale-knowledge': '- it rests on stale knowledge',
  'conduct.signal.broad-blast-radius': '- it touches much',

  'conduct.risk.word':
    '- {class}: "{text}" in the {where, select, title {title} description {description, line {line}} other {brief, line {line}}}',
  'conduct.risk.path': '- {class}: changed file {text}',
  'conduct.risk.label': '- {class}: label "{text}"',
  'conduct.risk.more': '- and {n} more',

  'conduct.answer.head': 'Answer with one of:',
  'conduct.answer.accept':
    '  baton answer {ticket} accept{typed, select, yes {   (you type {ticket} to confirm)} other {}}',
  'conduct.answer.reshape':
    '  baton answer {ticket} reshape --text "..."   (feedback: the brief is drafted again)',
  'conduct.answer.deny':
    '  baton answer {ticket} deny   ({leads, select, keep {rejects the patch; the ticket stays where it is} other {parks the ticket}})',
  'conduct.answer.form': 'Answer with: baton answer {ticket}',
  'conduct.answer.outside': 'Approve the pull request, then: baton conduct {ticket}',

  'conduct.end.verified': '{ticket} is Verified. This run began at {began}.',
  'conduct.end.parked': '{ticket} is Parked; it stood at {at}. This run began at {began}.',
  'conduct.end.cancelled': '{ticket} is Cancelled; it stood at {at}. This run began at {began}.',
  'conduct.end.why': 'Reason: {why}',
  'conduct.end.no_why': 'No reason was given.',
  'conduct.end.umbrella':
    '{ticket} is an umbrella over {n, plural, one {# ticket} other {# tickets}}; there is nothing to do here until they are verified. This run began at {began}.',
  'conduct.end.child': '- {child} {state}: {title}',
} as const;

const ko = {
  'conduct.start.head': '{ticket}: {state}에서 시작합니다. 모드 {mode}.',
  'conduct.start.controlled': '모든 게이트에서 답을 기다립니다.',
  'conduct.start.partial':
    '{gate} 게이트부터는 모두 멈춥니다. {gate} 앞의 게이트는 대신 수락합니다. release와 verify는 언제나 답을 기다립니다.',
  'conduct.start.unattended': '앞쪽 게이트는 대신 수락합니다. release와 verify는 언제나 답을 기다립니다.',
  'conduct.start.escalate':
    '앞쪽 게이트마다 판단합니다. 의견이 필요하면 기다리고, 평범하면 대신 수락합니다. release와 verify는 언제나 답을 기다립니다.',
  'conduct.start.risk_floor':
    '위험 하한: {classes}에 닿는 게이트는 모드나 다이얼과 상관없이 답을 기다립니다.',
  'conduct.start.recorded': '대신 수락한 게이트도 다른 결정과 똑같이 Accepted 결정으로 기록됩니다.',

  'conduct.dial.unknown': '신뢰 다이얼의 값 "{value}"은(는) 없는 단계입니다. cautious로 봅니다.',
  'conduct.dial.ignored':
    '신뢰 다이얼이 {level}입니다. {flag}은(는) 무시하고 모든 게이트에서 답을 기다립니다(controlled).',
  'conduct.dial.change': '허용하려면: baton trust balanced. 그다음: baton conduct {ticket} {flag}',

  'conduct.pause.iteration': '이 브리프의 {n}번째 판입니다.',
  'conduct.pause.gate':
    '{ticket}: {gate} 게이트{track, select, none {} other {({track} 트랙)}}에서 답을 기다립니다.',
  'conduct.pause.stale':
    '이 티켓의 근거가 바뀌었습니다(stale). 어떤 모드에서도 더 나아가지 않고, 검토하실 패치를 만듭니다.',
  'conduct.pause.review': '검토하실 패치입니다. 어떤 모드에서도 직접 결정하셔야 합니다.',
  'conduct.pause.question': '직접 답하셔야 하는 질문입니다. 결정은 맡길 수 있어도 답은 맡길 수 없습니다.',
  'conduct.pause.approval': '어떤 모드에서도 사람의 승인을 기다립니다.',
  'conduct.pause.controlled':
    '이 실행에서는 아무것도 맡기지 않았습니다. 앞쪽 게이트를 맡기려면: baton conduct {ticket} --unattended   (또는 --escalate, --pause-at <gate>)',
  'conduct.pause.hard-floor':
    '{gate, select, release {release는 되돌릴 수 없어서 {flag} 여부와 상관없이 언제나 직접 결정하셔야 합니다.} verify {verify는 되돌릴 수 없어서 {flag} 여부와 상관없이 언제나 직접 결정하셔야 합니다.} other {수락하면 티켓이 Verified로 끝나고 되돌릴 수 없어서, {flag} 여부와 상관없이 언제나 직접 결정하셔야 합니다.}}',
  'conduct.pause.revised': '직접 고치신 브리프라서 다시 보여 드립니다. 다음 게이트는 평소대로 판단합니다.',
  'conduct.pause.pause-at': '요청하신 대로 여기서 멈춥니다: {flag}.',
  'conduct.pause.risk-floor': '위험 하한: {classes}. 모드나 다이얼과 상관없이 멈춥니다.',
  'conduct.pause.escalate': '의견이 필요하다고 판단했습니다:',
  'conduct.pause.judge_silent':
    '판단이 올바른 답을 내지 못했거나 신호를 대지 못해, 의견이 필요한 것으로 봅니다.',
  'conduct.pause.mode_holds':
    '답하시면 {ends, select, none {{mode} 모드로} other {{flag}(으)로}} 이어 갑니다{ends, select, none {.} other {. 이 드라이브가 끝난 뒤라면: baton conduct {ticket} {flag}}}',
  'conduct.pause.no_drive':
    '열린 드라이브가 없습니다. 답하시면 controlled로 이어 가고 다음 게이트에서 다시 기다립니다{ends, select, none {.} other {. 다시 맡기려면: baton conduct {ticket} {flag}}}',

  'conduct.signal.low-confidence': '- 추천에 대한 확신이 낮음',
  'conduct.signal.knowledge-gap': '- 알려지지 않은 것이 있음',
  'conduct.signal.near-tie': '- 거의 비슷한 대안이 있음',
  'conduct.signal.novel': '- 처음 하는 일이거나 선례가 됨',
  'conduct.signal.stale-knowledge': '- 낡은 지식에 기대고 있음',
  'conduct.signal.broad-blast-radius': '- 영향 범위가 넓음',

  'conduct.risk.word':
    '- {class}: {where, select, title {제목} description {설명 {line}번째 줄} other {브리프 {line}번째 줄}}의 "{text}"',
  'conduct.risk.path': '- {class}: 바뀐 파일 {text}',
  'conduct.risk.label': '- {class}: 라벨 "{text}"',
  'conduct.risk.more': '- 그 밖에 {n}개',

  'conduct.answer.head': '다음 중 하나로 답해 주세요:',
  'conduct.answer.accept':
    '  baton answer {ticket} accept{typed, select, yes {   (확인을 위해 {ticket}을(를) 입력합니다)} other {}}',
  'conduct.answer.reshape': '  baton answer {ticket} reshape --text "..."   (의견: 브리프를 다시 만듭니다)',
  'conduct.answer.deny':
    '  baton answer {ticket} deny   ({leads, select, keep {패치를 거절합니다. 티켓은 그대로 있습니다} other {티켓을 보류합니다}})',
  'conduct.answer.form': '답하기: baton answer {ticket}',
  'conduct.answer.outside': '풀 리퀘스트를 승인한 다음: baton conduct {ticket}',

  'conduct.end.verified': '{ticket}: Verified로 끝났습니다. 이 실행은 {began}에서 시작했습니다.',
  'conduct.end.parked': '{ticket}: {at}에서 보류되었습니다(Parked). 이 실행은 {began}에서 시작했습니다.',
  'conduct.end.cancelled':
    '{ticket}: {at}에서 취소되었습니다(Cancelled). 이 실행은 {began}에서 시작했습니다.',
  'conduct.end.why': '이유: {why}',
  'conduct.end.no_why': '적힌 이유가 없습니다.',
  'conduct.end.umbrella':
    '{ticket}: 티켓 {n}개를 묶은 티켓입니다. 그 티켓들이 확인될 때까지 여기서 할 일은 없습니다. 이 실행은 {began}에서 시작했습니다.',
  'conduct.end.child': '- {child} {state}: {title}',
} as const satisfies Record<keyof typeof en, string>;

/** What a person is told when a run starts, pauses, goes on for them, and ends. */
export const announceMessages = { en, ko };
