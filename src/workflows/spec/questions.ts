import type { Lang } from '../../contract/lang.ts';
import type { SpecState } from '../../contract/spec.ts';
import type { InterviewerResult, Note, Question } from '../../contract/spec-work.ts';
import { storedText } from '../kit/stored-text.ts';

/** Round 1 may ask five questions, the later ones three (SP-25). */
export function maxQuestions(round: number): number {
  return round === 1 ? 5 : 3;
}

/**
 * The questions to ask. Surplus questions are cut from the end. Ids count up over all rounds and replace the worker's
 * own.
 */
export function toQuestions(state: SpecState, asked: InterviewerResult['questions']): Question[] {
  return asked
    .slice(0, maxQuestions(state.qa_round ?? 1))
    .map(({ text, why }, n) => ({ id: `q${state.asked + n + 1}`, text, why }));
}

/** The question of round 1 if no other is open, so that a person is asked before every specification (SP-26). */
export function confirmation(state: SpecState): Question[] {
  const { user_lang } = state;
  const text = storedText('spec.questions.confirm', user_lang);
  const why = storedText('spec.questions.confirm.why', user_lang);
  return [{ id: `q${state.asked + 1}`, text, why }];
}

/**
 * Question and answer pairs of the closing round. An answer without information stays open, and Baton does not invent
 * one (SP-28).
 */
export function toNotes(state: SpecState, answers: Readonly<Record<string, string | null>>): readonly Note[] {
  const round = state.qa_round ?? 1;
  return (state.round?.questions ?? []).map(({ id, text, why }) => {
    const given = Object.hasOwn(answers, id) ? answers[id] : null;
    const unconfirmed = isUnconfirmed(given);
    return { id, round, question: text, why, answer: unconfirmed ? null : (given ?? null), unconfirmed };
  });
}

/**
 * Ways to say do-not-know, unsure or no opinion (SP-28). A phrase counts only as a whole clause, so "not sure about
 * HEIC, but JPEG" stays an answer. Spaces, apostrophes, accents and letter case do not matter.
 */
export const UNSURE: Readonly<Record<Lang, readonly string[]>> = {
  en: phrases(`
    unknown | unconfirmed | idk | dunno | no idea | i have no idea | not sure | unsure | i am not sure |
    i'm not sure | i am unsure | i'm unsure | don't know | i don't know | do not know | i do not know |
    i don't know yet | not sure yet | i'm not sure yet | undecided | not decided | not decided yet |
    no opinion | i have no opinion | no preference | i have no preference | don't care | i don't care |
    doesn't matter | it doesn't matter | whatever | you decide | up to you | tbd | to be decided |
    to be determined | no clue | hard to say | can't say | sorry | hmm
  `),
  ko: phrases(`
    모름 | 모름요 | 모르겠음 | 모르겠어 | 모르겠어요 | 모르겠습니다 | 모르겠네요 | 잘 모름 |
    잘 모르겠음 | 잘 모르겠어 | 잘 모르겠어요 | 잘 모르겠습니다 | 잘 모르겠네요 | 아직 모름 |
    아직 모르겠어요 | 아직 모르겠습니다 | 아직 잘 모르겠습니다 | 몰라 | 몰라요 | 모릅니다 | 글쎄 |
    글쎄요 | 확실하지 않음 | 확실하지 않아요 | 확실하지 않습니다 | 불확실 | 불확실합니다 | 미정 |
    미정입니다 | 아직 미정 | 아직 미정입니다 | 미확인 | 의견 없음 | 의견 없어요 | 의견 없습니다 |
    의견이 없습니다 | 별 의견 없음 | 별 의견 없습니다 | 상관없음 | 상관없어요 | 상관없습니다 |
    아무거나 | 아무거나요 | 알아서 해 주세요 | 알아서 | 정하지 않음 | 정하지 않았습니다 |
    아직 정하지 않았습니다 | 아직 안 정했어요 | 죄송합니다 | 음
  `),
  ja: phrases(`
    わからない | わかりません | 分からない | 分かりません | 判らない | まだわからない |
    まだわかりません | まだ分かりません | よくわからない | よくわかりません | よく分かりません |
    知らない | 知りません | 不明 | 不明です | 未定 | 未定です | まだ未定です | 未確認 | 決まっていない |
    まだ決まっていません | 決めていません | 特になし | 特にありません | 意見なし | 意見はありません |
    どちらでもいい | どちらでもいいです | どれでもいいです | 何でもいい | おまかせ | おまかせします |
    お任せします | 自信がない | 自信がありません | はっきりしない | すみません
  `),
  zh: phrases(`
    不知道 | 我不知道 | 不清楚 | 我不清楚 | 不太清楚 | 不确定 | 我不确定 | 不太确定 | 还不确定 |
    还不知道 | 不確定 | 還不確定 | 還不知道 | 未定 | 待定 | 没想好 | 还没想好 | 還沒想好 | 没决定 |
    还没决定 | 沒決定 | 還沒決定 | 未知 | 未确认 | 未確認 | 没意见 | 没有意见 | 沒意見 | 沒有意見 |
    无所谓 | 無所謂 | 随便 | 隨便 | 都可以 | 都行 | 你决定 | 你來決定 | 你来决定 | 说不准 | 說不準 |
    抱歉
  `),
  es: phrases(`
    no sé | no lo sé | yo no sé | aún no sé | aún no lo sé | todavía no lo sé | ni idea |
    no tengo idea | no tengo ni idea | no estoy seguro | no estoy segura | no estoy seguro aún |
    no seguro | desconocido | sin confirmar | por decidir | por definir | sin decidir |
    aún no decidido | indeciso | indecisa | sin opinión | no tengo opinión | sin preferencia |
    no tengo preferencia | me da igual | da igual | no importa | no me importa | lo que sea |
    como quieras | tú decides | usted decide | lo siento | perdón
  `),
  de: phrases(`
    weiß nicht | weiß ich nicht | ich weiß nicht | ich weiß es nicht | weiss nicht | weiss ich nicht |
    ich weiss nicht | ich weiss es nicht | weiß ich noch nicht | keine ahnung | ich habe keine ahnung |
    unsicher | nicht sicher | bin nicht sicher | ich bin nicht sicher | ich bin mir nicht sicher |
    bin mir nicht sicher | ich bin unsicher | unbekannt | unklar | unbestätigt | noch unklar |
    noch offen | unentschieden | noch nicht entschieden | keine meinung | ich habe keine meinung |
    keine präferenz | egal | ist egal | ist mir egal | mir egal | ganz egal | spielt keine rolle |
    entscheide du | entscheiden sie | du entscheidest | schwer zu sagen | tut mir leid
  `),
};

function phrases(table: string): readonly string[] {
  return table.split('|').map((phrase) => phrase.trim());
}

const KNOWN = new Set(Object.values(UNSURE).flatMap((phrases) => phrases.map(plain)));

/**
 * True if an answer is empty, only question marks, or made only of phrases in the table. All languages count at once,
 * because people switch language inside one form.
 */
export function isUnconfirmed(answer: string | null | undefined): boolean {
  const text = (answer ?? '').normalize('NFKC').trim();
  if (/^[?\s[\]]*$/.test(text)) return true;
  const clauses = text
    .split(/[,.;:!?~…、。·\n()[\]]+/)
    .map(plain)
    .filter((clause) => clause !== '');
  return clauses.length > 0 && clauses.every((clause) => KNOWN.has(clause));
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[\s'’‘"“”`-]/g, '');
}
