import type { Move } from '../../contract/move.ts';
import { type ModelConfig, type SetupStage, SpecInput, type SpecState } from '../../contract/spec.ts';
import { detectLanguage } from '../../engine/language.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import type { StartFacts } from '../../engine/workflow.ts';
import { measure } from '../kit/measured.ts';
import { parseModels } from './models.ts';
import { locationsOf, subjectOf } from './moves.ts';
import { NO_PASS } from './pass.ts';
import { openStage } from './setup.ts';

/** First move of a run, in `setup` and without a subject, or a rejection before the run exists. */
export function start(raw: unknown, facts: StartFacts): Move<SpecState> | Rejection {
  const parsed = SpecInput.safeParse(raw);
  if (!parsed.success) return refuseInput(parsed.error, raw);
  const input = parsed.data;
  return refuseModels(input) ?? { state: initial(input, facts), records: [] };
}

/** Rejects unusable models before the run exists (SP-12, SP-13). */
function refuseModels({ mode, model_config: value }: SpecInput): Rejection | null {
  if (value === null) return null;
  const field = 'model_config';
  if (mode === 'quick') return reject('bad_input', { field, value }, { msg: 'spec.model_config_quick' });
  const models = parseModels(value);
  if (!('bad' in models)) return null;
  return reject('bad_input', { field, value, bad: models.bad }, { msg: 'spec.model_config_bad' });
}

function initial(input: SpecInput, facts: StartFacts): SpecState {
  const { policy, now } = facts;
  const slug = toSlug(input.task, facts.short_id);
  return {
    version: 2,
    skill: 'spec',
    task: input.task,
    slug,
    mode: input.mode,
    model_config: null,
    user_lang: input.lang ?? detectLanguage(input.task),
    has_git: facts.git !== null,
    phase: 'setup',
    qa_round: null,
    branch: null,
    docs_path: locationsOf(policy.namespace, slug).docs_path,
    // The runtime checks a reference before the start. The convention step checks it again (SP-18).
    cli_flags: {
      reference: facts.reference?.path ?? input.reference,
      reference_hash: facts.reference?.hash ?? null,
    },
    conventions: null,
    created_at: now,
    updated_at: now,
    namespace: policy.namespace,
    in_place: policy.in_place,
    unattended: policy.unattended,
    lang_explicit: input.lang !== null,
    base: null,
    overwrite: false,
    setup: firstStage(input, facts, subjectOf(slug)),
    convention_stage: null,
    round: null,
    asked: 0,
    unconfirmed: [],
    rounds_closed: 0,
    reopened: false,
    ...NO_PASS,
    passes: 0,
    requests: 0,
    requests_shown: [],
    approved: null,
    halted: null,
    ended: null,
  };
}

function firstStage(input: SpecInput, facts: StartFacts, subject: string): SetupStage {
  const other = facts.live.find((live) => live.subject === subject && live.status !== 'ended');
  const asks = { routing: routingHint(input.task), models: modelsOf(input) };
  return {
    ...asks,
    stage: other ? 'session' : openStage(asks, input.mode),
    other: other ? { run: other.run, phase: other.phase, title: other.title } : null,
    taken: [],
    stamped: false,
    bad_models: 0,
    bad_model: null,
    measured: measure(facts.measured),
  };
}

function modelsOf({ model_config }: SpecInput): ModelConfig | null {
  const models = model_config === null ? null : parseModels(model_config);
  return models && !('bad' in models) ? models : null;
}

type Kind = NonNullable<SetupStage['routing']>;

/** The person asks for a specification explicitly, so there is no hint. */
const WANTS_SPEC: readonly RegExp[] = [
  /\b(?:write|draft|create|make|prepare|produce|need|want)\b[^.\n]{0,40}\b(?:a|an|new)\b[^.\n]{0,20}\bspec(?:ification)?s?\b/i,
  /^(?:a\s+)?(?:new\s+)?spec(?:ification)?\s+(?:for|of|about)\b/i,
  /(?:명세|스펙|사양)(?:서)?(?:를|을)?\s*(?:작성|정리|만들|써|쓰|뽑)/,
  /仕様書?(?:を|の)(?:書|作成|まとめ)/,
  /(?:写|撰写|编写|起草)[^。\n]{0,10}(?:规格|规范|需求|說明)/,
  /\b(?:escrib|redact|prepar)\w*\b[^.\n]{0,30}\b(?:una|nueva)\b[^.\n]{0,20}\bespecificaci[oó]n/i,
  /\b(?:schreib|erstell|entwirf)\w*\b[^.\n]{0,30}\beine\b[^.\n]{0,20}\bspezifikation/i,
];

/** Order matters: building an existing spec is tested first, understanding last. */
const HINTS: readonly (readonly [Kind, readonly RegExp[]])[] = [
  [
    'implement',
    [
      /\b(?:implement|build|execute|develop|code|realize|carry out)\b[^.\n]{0,40}\b(?:the|this|that|our|my|existing|approved|attached|following)\b[^.\n]{0,25}\bspec(?:ification)?s?\b/i,
      /\b(?:implement|build|execute|develop)\b[^\n]{0,80}\bspec\.md\b/i,
      /(?:명세|스펙|사양)(?:서)?(?:대로|를|을|에 따라|에 맞춰)[^.\n]{0,20}(?:구현|개발|빌드)/,
      /spec\.md[^.\n]{0,20}(?:구현|개발|実装|实现|實現)/,
      /仕様(?:書)?(?:どおり|通り|を|に従って|に沿って)[^。\n]{0,15}実装/,
      /(?:按照|根据|依照|實現|实现)[^。\n]{0,15}(?:规格|规范|規格|需求文档)[^。\n]{0,15}(?:实现|開發|开发)?/,
      /\bimplement\w*\b[^.\n]{0,40}\b(?:la|esta|nuestra)\b[^.\n]{0,20}\bespecificaci[oó]n/i,
      /\b(?:die|diese|unsere)\b[^.\n]{0,20}\bspezifikation\b[^.\n]{0,30}\b(?:umsetz|implementier|bau)\w*/i,
    ],
  ],
  [
    'improve',
    [
      /^(?:please\s+|can you\s+|could you\s+)?(?:refactor|debug|fix|optimi[sz]e|clean up|speed up|tidy up|rewrite)\b/i,
      /\b(?:improve|refactor|optimi[sz]e|clean up|modernize)\b[^.\n]{0,60}\b(?:code|codebase|function|module|class|method|query|tests?|existing|performance)\b/i,
      /(?:리팩터링|리팩토링|최적화)\s*(?:해|하|좀|부탁)/,
      /(?:버그|오류|에러)(?:를|을)?\s*[^.\n]{0,10}(?:수정|고쳐|고치|잡아)/,
      /(?:기존|현재|지금)[^.\n]{0,15}코드[^.\n]{0,15}(?:개선|수정|정리|고쳐|고치)/,
      /(?:バグ|不具合)[^。\n]{0,10}(?:修正|直)|リファクタリング(?:し|を)|既存の?コード[^。\n]{0,10}(?:改善|修正)/,
      /(?:重构|重構|优化|優化|修复|修復|改进|改進)[^。\n]{0,20}(?:代码|代碼|函数|函式|模块|模組|bug)/i,
      /^(?:por favor,?\s+)?(?:refactoriz|arregl|corrig|optimiz|depur)\w*\b/i,
      /^(?:bitte\s+)?(?:refaktorier|behebe?|optimier|repariere?|verbessere?)\w*\b/i,
    ],
  ],
  [
    'understand',
    [
      /^(?:please\s+|can you\s+|could you\s+)?(?:explain|walk me through|help me understand|understand)\b/i,
      /^(?:i want|i need|i would like|i'd like)\s+to\s+understand\b/i,
      /^(?:how|why)\s+(?:does|do|is|are)\b[^\n]{0,120}\b(?:work|works|implemented|called|built|code)\b/i,
      /^what\s+(?:does|do)\b[^\n]{0,120}\bdo\b/i,
      /(?:코드|함수|모듈|클래스|구조|로직)[^.\n]{0,25}(?:설명|이해|분석)(?:해|하고|을|를|이)/,
      /어떻게\s*(?:동작|작동|구현)(?:하는지|되는지|되어|하나|되나)/,
      /(?:コード|関数|モジュール|仕組み)[^。\n]{0,15}(?:説明して|理解し|教えて)/,
      /(?:解释|解釋|说明|說明|理解)[^。\n]{0,15}(?:代码|代碼|函数|函式|模块|模組)/,
      /^(?:por favor,?\s+)?(?:expl[ií]ca|ay[uú]dame a entender|quiero entender)/i,
      /^(?:bitte\s+)?(?:erkl[äa]r|hilf mir[^.\n]{0,20}verstehen|ich m[öo]chte[^.\n]{0,60}verstehen)/i,
    ],
  ],
];

/**
 * Whether a task looks like something a specification is not for (SP-08). It uses fixed phrases, not a model. It only
 * makes an offer, so a miss costs nothing and a false hit costs one keystroke.
 */
export function routingHint(task: string): Kind | null {
  const text = task.normalize('NFC').trim();
  if (WANTS_SPEC.some((pattern) => pattern.test(text))) return null;
  return HINTS.find(([, patterns]) => patterns.some((pattern) => pattern.test(text)))?.[0] ?? null;
}
