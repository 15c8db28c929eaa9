/**
 * Words of the built-in script for tickets. None of them names a kind of risk, because a rehearsal must not trigger a
 * floor.
 */
export interface ConductWords {
  readonly drafting: string;
  readonly recommend: string;
  readonly gap: string;
  readonly criterion: (title: string) => string;
  readonly step: (title: string) => string;
  readonly look: string;
  readonly expect: string;
  readonly decide: Readonly<
    Record<
      'clarify' | 'decompose' | 'design' | 'plan' | 'patch' | 'release' | 'verify',
      (title: string) => string
    >
  >;
  readonly decided: ConductWords['decide'];
}

const en: ConductWords = {
  drafting: 'drafting with the built-in script',
  recommend: 'Accept it: this is a rehearsal.',
  gap: 'the ledger has nothing on this yet',
  criterion: (title) => `what the ticket asks for can be seen: ${title}`,
  step: (title) => `make the change: ${title}`,
  look: 'look at the result',
  expect: 'it does what the ticket asks for',
  decide: {
    clarify: (title) => `Is this what is wanted: ${title}?`,
    decompose: (title) => `Keep it in one piece: ${title}?`,
    design: (title) => `Make one small change for: ${title}?`,
    plan: (title) => `Go with this plan for: ${title}?`,
    patch: (title) => `Bring this up to date: ${title}?`,
    release: (title) => `Release it: ${title}?`,
    verify: (title) => `Does it hold: ${title}?`,
  },
  decided: {
    clarify: (title) => `Wanted: ${title}`,
    decompose: (title) => `One piece of work: ${title}`,
    design: (title) => `One small change: ${title}`,
    plan: (title) => `Plan: ${title}`,
    patch: (title) => `Up to date: ${title}`,
    release: (title) => `Release: ${title}`,
    verify: (title) => `Verified: ${title}`,
  },
};

const ko: ConductWords = {
  drafting: '기본 스크립트로 작성하는 중',
  recommend: '수락하세요. 리허설입니다.',
  gap: '원장에 아직 이에 관한 것이 없습니다',
  criterion: (title) => `티켓이 요청한 것이 보입니다: ${title}`,
  step: (title) => `변경하기: ${title}`,
  look: '결과를 봅니다',
  expect: '티켓이 요청한 대로입니다',
  decide: {
    clarify: (title) => `원하는 것이 이것입니까: ${title}?`,
    decompose: (title) => `하나로 둘까요: ${title}?`,
    design: (title) => `작은 변경 하나로 할까요: ${title}?`,
    plan: (title) => `이 계획으로 할까요: ${title}?`,
    patch: (title) => `새 결정에 맞출까요: ${title}?`,
    release: (title) => `릴리스할까요: ${title}?`,
    verify: (title) => `맞게 되었습니까: ${title}?`,
  },
  decided: {
    clarify: (title) => `원하는 것: ${title}`,
    decompose: (title) => `하나의 작업: ${title}`,
    design: (title) => `작은 변경 하나: ${title}`,
    plan: (title) => `계획: ${title}`,
    patch: (title) => `맞춤: ${title}`,
    release: (title) => `릴리스: ${title}`,
    verify: (title) => `확인됨: ${title}`,
  },
};

export const conductWords = { en, ko };
