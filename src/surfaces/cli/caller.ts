import type { Person } from '../../contract/answer.ts';
import type { Deciding } from '../../engine/judge-person.ts';
import type { Caller } from '../../engine/operation.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import { type Context, isInteractive, optionText, userName } from './context.ts';
import { type PromptIo, promptLine } from './prompt-line.ts';
import { envLang } from './words.ts';

type Bare = Omit<Context, 'caller'>;

export function promptIo({ deps, screen }: Bare): PromptIo {
  return { input: deps.stdin.stream(), output: deps.stdout.stream(), capable: screen.terminal };
}

/** The caller of a command, as the operations see it. */
export function callerOf(context: Bare): Caller {
  const { deps } = context;
  let proven: Person | null = null;
  return {
    name: userName(deps),
    surface: 'cli',
    refuseWorker: (policy) => deps.refuseWorker(policy),
    person: async (about) => {
      // One command may consist of several decisions about a run and its children. The person proves it once.
      if (proven && !about?.gate) return proven;
      const code = optionText(context, 'code');
      const first = await deps.person(about && { ...about, code });
      const person = await typeCode(context, first, about);
      if (!isRejection(person) && !about?.gate) proven = person;
      return person;
    },
  };
}

/** The same caller with the result of a proof that was asked for before. */
export function provenCaller({ caller }: Context, proof: Person | Rejection): Caller {
  return { ...caller, person: async () => proof };
}

/** If another terminal drives the run, asks for its code until it is right or the person leaves. */
export async function typeCode(
  context: Bare & { readonly t?: Translate; readonly interrupt?: AbortController },
  first: Person | Rejection,
  about: Deciding | null,
): Promise<Person | Rejection> {
  const { deps, screen, t, interrupt } = context;
  const signal = interrupt?.signal ?? new AbortController().signal;
  let person = first;
  while (isRejection(person) && person.rejection === 'code_needed' && isInteractive(context)) {
    const translate = t ?? (await deps.translator(envLang(deps.env)));
    screen.text(translate(person.message));
    const typed = await promptLine(promptIo(context), { prompt: '› ', signal });
    if (typed.kind === 'stopped' || typed.text.trim() === '') return person;
    person = await deps.person(about && { ...about, code: typed.text });
  }
  return person;
}
