const en = {
  'conduct.state.Captured': 'Captured',
  'conduct.state.Idea': 'Idea',
  'conduct.state.Clarified': 'Clarified',
  'conduct.state.Decomposed': 'Decomposed',
  'conduct.state.Designed': 'Designed',
  'conduct.state.Planned': 'Planned',
  'conduct.state.Built': 'Built',
  'conduct.state.Released': 'Released',
  'conduct.state.Verified': 'Verified',
  'conduct.state.Parked': 'Parked',
  'conduct.state.Cancelled': 'Cancelled',

  'conduct.edge.none':
    '"{activity}" leads nowhere from {from, select, none {a ticket that does not exist yet} other {{from}}}.',
  'conduct.edge.stale':
    'The ticket is stale, so "{activity}" from {from} has to wait. Allowed: revising-*, researching, parking, cancelling.',
  'conduct.edge.no_way_back': 'It is not on record where this ticket was parked, so it cannot go back there.',
  'conduct.edge.not_so':
    '"{activity}" cannot be asked for: {how, select, answer {it moves by a person’s answer to its gate} person {only a person may} other {only Baton itself does it, on its evidence}}.',

  'conduct.reopen.not_from':
    '{target} cannot be reopened from {from}. {target} opens again from: {sources, select, none {no state} other {{sources}}}. From {from}: {targets, select, none {nothing} other {{targets}}}.',
  'conduct.reopen.stuck': 'There is no way back from {from} to {target} in {limit} steps.',
} as const;

const ko = {
  'conduct.state.Captured': '접수됨 (Captured)',
  'conduct.state.Idea': '구상 (Idea)',
  'conduct.state.Clarified': '명확화됨 (Clarified)',
  'conduct.state.Decomposed': '분해됨 (Decomposed)',
  'conduct.state.Designed': '설계됨 (Designed)',
  'conduct.state.Planned': '계획됨 (Planned)',
  'conduct.state.Built': '구현됨 (Built)',
  'conduct.state.Released': '배포됨 (Released)',
  'conduct.state.Verified': '확인됨 (Verified)',
  'conduct.state.Parked': '보류됨 (Parked)',
  'conduct.state.Cancelled': '취소됨 (Cancelled)',

  'conduct.edge.none':
    '{from, select, none {아직 없는 티켓} other {{from}}}에서 "{activity}"(으)로 갈 수 있는 곳이 없습니다.',
  'conduct.edge.stale':
    '티켓의 근거가 바뀌어(stale) {from}에서 "{activity}"은(는) 아직 할 수 없습니다. 가능: revising-*, researching, parking, cancelling.',
  'conduct.edge.no_way_back': '이 티켓이 어디에서 보류되었는지 기록이 없어 되돌릴 수 없습니다.',
  'conduct.edge.not_so':
    '"{activity}"은(는) 직접 요청할 수 없습니다. {how, select, answer {그 게이트에 사람이 답해야 움직입니다} person {사람만 할 수 있습니다} other {근거가 있을 때 Baton만 합니다}}.',

  'conduct.reopen.not_from':
    '{from}에서는 {target}을(를) 다시 열 수 없습니다. {target}을(를) 다시 열 수 있는 상태: {sources, select, none {없음} other {{sources}}}. {from}에서 다시 열 수 있는 것: {targets, select, none {없음} other {{targets}}}.',
  'conduct.reopen.stuck': '{from}에서 {target}까지 {limit}걸음 안에 돌아갈 길이 없습니다.',
} as const satisfies Record<keyof typeof en, string>;

/** States of a ticket, and refusals to move it. */
export const edgeMessages = { en, ko };
