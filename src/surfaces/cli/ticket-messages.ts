import type { GateAgreement, NextTicket, Waiting } from '../../runtime/ticket-api.ts';

type Reason = NonNullable<Waiting['reason']>;

const en = {
  no_tickets: 'No ticket here.',
  no_ticket: (name: string) =>
    `There is no ticket "${name}" here; nothing was ever started in this folder. baton ticket create "..." makes one.`,
  created: (id: string) => `created ${id}`,
  changed: (id: string) => `changed ${id}`,
  children_of: (id: string, n: number) =>
    n === 0 ? `${id} has no children.` : `${id} has ${n === 1 ? '1 child' : `${n} children`}:`,
  not_an_assignment: (option: string, value: string, form: string) =>
    `${option} ${value}: not of the form ${form}`,
  nothing_to_change: (usage: string) => `Say what to change: ${usage}`,
  and_more: (n: number) => `… and ${n} more: --limit`,
  label: {
    state: 'state',
    was: 'left at',
    why: 'because',
    priority: 'priority',
    labels: 'labels',
    parent: 'parent',
    children: 'children',
    criteria: 'criteria',
    waits: 'waits for you',
    stale: 'stale',
    risks: 'risk classes',
    build: 'build',
    pull: 'pull request',
    merged: 'merged as',
    archived: 'archived',
    next: 'next',
  },
  archived: 'yes, left out of lists and of the queue',
  superseded: (id: string) => `${id} was superseded`,
  reason: {
    'clarification-draft': 'clarify: what is wanted',
    'decomposition-proposal': 'decompose: how to split it',
    'design-decision-draft': 'design',
    'plan-draft': 'plan',
    'release-decision-pending': 'release: merge and deploy',
    'verification-ack-pending': 'verify: is it right in production',
    'stale-patch-review': 'patch of a stale ticket',
    'revise-scope-review': 'going back',
    'elicitation-round': 'questions',
    'release-approval-pending': 'approval on the code host',
    'build-go-pending': 'the go to build',
    trouble: 'trouble',
  } satisfies Record<Reason, string>,
  stale_head: 'stale: a decision they rest on was superseded',
  no_patch_yet: 'no patch is drafted yet',
  queue_empty: 'No ticket waits for you.',
  ask: {
    answer: 'Answer this one next.',
    patch: 'A decision this one rests on was superseded. Conducting it drafts the patch.',
    triage: 'Is this one worth doing? Nothing was done with it yet.',
  } satisfies Record<NextTicket['ask'], string>,
  take_up: 'take it up',
  or_leave: 'or leave it',
  answer_it: 'answer it',
  draft_it: 'draft it',
  new_ticket: 'what you want',
  no_stats:
    'No judged draft has been answered by a person yet. To have drafts judged, set conduct.shadow_judge: true in baton.yaml.',
  stats_head: 'What the judge said against what people did:',
  stats: ({ judged, agreed, needless, missed, failed }: Omit<GateAgreement, 'gate'>) =>
    `${agreed} of ${judged} agreed; ${needless} paused for nothing, ${missed} missed, ${failed} failed`,
  not_json: (problem: string) => `The input is not JSON: ${problem}`,
};

/** The texts of the commands about tickets. A text that is missing in one language does not compile. */
export type TicketWords = typeof en;

const ko: TicketWords = {
  no_tickets: '티켓이 없습니다.',
  no_ticket: (name) =>
    `여기에 "${name}" 티켓이 없습니다. 이 폴더에서는 아직 아무것도 시작하지 않았습니다. baton ticket create "..."로 만들 수 있습니다.`,
  created: (id) => `만듦: ${id}`,
  changed: (id) => `바꿈: ${id}`,
  children_of: (id, n) => (n === 0 ? `${id}에는 하위 티켓이 없습니다.` : `${id}의 하위 티켓 ${n}개:`),
  not_an_assignment: (option, value, form) => `${option} ${value}: ${form} 형식이 아닙니다`,
  nothing_to_change: (usage) => `무엇을 바꿀지 적어 주세요: ${usage}`,
  and_more: (n) => `… 외 ${n}개: --limit`,
  label: {
    state: '상태',
    was: '멈춘 곳',
    why: '이유',
    priority: '우선순위',
    labels: '라벨',
    parent: '상위 티켓',
    children: '하위 티켓',
    criteria: '기준',
    waits: '답변 대기',
    stale: '낡음',
    risks: '위험 분류',
    build: '빌드',
    pull: '풀 리퀘스트',
    merged: '병합 커밋',
    archived: '보관됨',
    next: '다음',
  },
  archived: '예. 목록과 대기열에 나오지 않습니다',
  superseded: (id) => `${id}이(가) 대체되었습니다`,
  reason: {
    'clarification-draft': '명확히 하기: 무엇을 원하는지',
    'decomposition-proposal': '나누기: 어떻게 나눌지',
    'design-decision-draft': '설계',
    'plan-draft': '계획',
    'release-decision-pending': '릴리스: 병합과 배포',
    'verification-ack-pending': '검증: 운영 환경에서 맞는지',
    'stale-patch-review': '낡은 티켓의 패치',
    'revise-scope-review': '되돌아가기',
    'elicitation-round': '질문',
    'release-approval-pending': '코드 호스트의 승인',
    'build-go-pending': '빌드 시작',
    trouble: '문제',
  },
  stale_head: '낡음: 바탕이 된 결정이 대체되었습니다',
  no_patch_yet: '아직 패치 초안이 없습니다',
  queue_empty: '답변을 기다리는 티켓이 없습니다.',
  ask: {
    answer: '다음은 이 티켓에 답할 차례입니다.',
    patch: '이 티켓의 바탕이 된 결정이 대체되었습니다. 진행하면 패치 초안을 만듭니다.',
    triage: '이 티켓을 할 만한가요? 아직 아무것도 하지 않았습니다.',
  },
  take_up: '시작하기',
  or_leave: '두기',
  answer_it: '답하기',
  draft_it: '초안 만들기',
  new_ticket: '원하는 것',
  no_stats:
    '판정된 초안에 사람이 답한 것이 아직 없습니다. baton.yaml의 conduct.shadow_judge로 초안을 판정할 수 있습니다.',
  stats_head: '판정과 사람의 답변 비교:',
  stats: ({ judged, agreed, needless, missed, failed }) =>
    `${judged}개 중 ${agreed}개 일치; 불필요하게 멈춤 ${needless}, 놓침 ${missed}, 실패 ${failed}`,
  not_json: (problem) => `입력이 JSON이 아닙니다: ${problem}`,
};

export function ticketWordsFor(lang: string): TicketWords {
  return lang.toLowerCase().startsWith('ko') ? ko : en;
}
