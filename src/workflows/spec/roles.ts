import type { SpecState } from '../../contract/spec.ts';
import { analysisSchema, CriticResult } from '../../contract/spec-analysis.ts';
import { InterviewerResult, SpecDoc } from '../../contract/spec-work.ts';
import type { RoleDefinition, RoleTable } from '../../engine/workflow.ts';
import { conventionScanner } from '../kit/conventions.ts';
import { REQUEST_PREAMBLE } from '../kit/request-preamble.ts';
import { ANALYSTS, type AnalystTable, analystWords, hasSeverity } from './analysts.ts';
import { unreferenced } from './spec-checks.ts';

const task = { name: 'task', max: 20_000 } as const;
const notes = { name: 'notes', max: 60_000 } as const;
const conventions = { name: 'conventions', max: 60_000 } as const;
const lang = { name: 'lang', max: 20 } as const;
const request = { max: 20_000, preamble: REQUEST_PREAMBLE, each: true } as const;
const requests = { name: 'requests', ...request } as const;
const document = { max: 120_000 } as const;

/** All workers only read. Each has three attempts at most. */
const reader = {
  caps: { correct: 1, fresh: 1, infra: 2 },
  profile: { kind: 'read_only' },
  deadline_minutes: 10,
} as const;

/** Every role that writes a specification has the same result and the same check for unconfirmed marks. */
const author = {
  ...reader,
  result: SpecDoc,
  check: (doc: SpecDoc, state: SpecState) =>
    unreferenced(doc, state.unconfirmed).map(
      (id) =>
        `Nothing refers to the unconfirmed question ${id}. Mark what rests on it with [unconfirmed ${id}].`,
    ),
};

/** The workers of both modes, for any set of analysts. */
export function rolesWith(analysts: AnalystTable) {
  const names = Object.keys(analysts);
  return {
    interviewer: {
      ...reader,
      prompt: 'spec/interviewer',
      slots: [task, notes, conventions, { name: 'round', max: 200 }, lang, requests],
      result: InterviewerResult,
    },
    writer: { ...author, prompt: 'spec/writer', slots: [task, notes, conventions, lang, requests] },
    convention_scanner: conventionScanner,
    ...analystRoles(analysts),
    synthesis: {
      ...author,
      prompt: 'spec/synthesis',
      words: { analysts: names.map((name) => `"${name}"`).join(', ') },
      slots: [
        task,
        notes,
        { name: 'analysts', max: 5_000 },
        ...names.map((name) => ({ name, ...document })),
        { name: 'draft', ...document },
        { name: 'findings', ...document },
        { name: 'missing', max: 1_000 },
        lang,
        requests,
        { name: 'revision_request', ...request },
      ],
    },
    critic: {
      ...reader,
      prompt: 'spec/critic',
      slots: [
        task,
        { name: 'spec', ...document },
        notes,
        { name: 'not_addressed', max: 1_000 },
        lang,
        requests,
      ],
      result: CriticResult,
    },
  } satisfies RoleTable<SpecState>;
}

/** Every analyst gets task, notes, conventions, language and requests, and nothing from the others (SP-36). */
function analystRoles(analysts: AnalystTable): Record<string, RoleDefinition<SpecState>> {
  return Object.fromEntries(
    Object.entries(analysts).map(([role, definition]) => [role, analystRole(role, definition)]),
  );
}

function analystRole(role: string, definition: AnalystTable[string]): RoleDefinition<SpecState> {
  let schema: RoleDefinition<SpecState>['result'] | undefined;
  return {
    ...reader,
    prompt: hasSeverity(definition) ? 'spec/analyst-severity' : 'spec/analyst',
    words: analystWords(role, definition),
    slots: [task, notes, conventions, lang, requests],
    // Built when the analyst is called, because most commands do not call one.
    get result() {
      schema ??= analysisSchema(role, definition.sections);
      return schema;
    },
  };
}

export const specRoles = rolesWith(ANALYSTS);
