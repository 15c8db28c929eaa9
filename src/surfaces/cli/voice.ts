import type { Api } from '../../runtime/api.ts';
import type { RunView } from '../../runtime/views.ts';
import { type OpenContext, viewOf } from './context.ts';
import type { ProgressLines, Voice } from './progress.ts';
import type { WordsFor } from './words.ts';

/** Uses the texts of this run from now on. The last answer may have changed its language. */
export async function speak(
  deps: OpenContext & { readonly lines: ProgressLines },
  view: RunView,
): Promise<Voice> {
  const voice = await voiceOf(deps.api, view, deps.wordsFor);
  deps.lines.speak(voice);
  return voice;
}

async function voiceOf(api: Api, view: RunView, wordsFor: WordsFor): Promise<Voice> {
  const { id, workflow, lang } = view.run;
  const t = await api.translator(lang);
  const known = new Map([[view.run.phase, t(view.phase_label)]]);
  const phase = async (name: string) => {
    const now = known.has(name) ? undefined : await viewOf(api, id);
    if (now) known.set(now.run.phase, t(now.phase_label));
    return known.get(name) ?? name.replaceAll('_', ' ');
  };
  const others = new Map<string, Promise<Voice>>();
  const voice: Voice = {
    run: id,
    words: wordsFor(lang),
    t,
    phase,
    has_way: workflow === 'conduct',
    of: (run) => {
      const other = others.get(run) ?? otherVoice(api, run, voice, wordsFor);
      others.set(run, other);
      return other;
    },
  };
  return voice;
}

async function otherVoice(api: Api, run: string, voice: Voice, wordsFor: WordsFor): Promise<Voice> {
  const view = await viewOf(api, run);
  return view ? voiceOf(api, view, wordsFor) : voice;
}
