import type { AgentFound } from '../../../contract/agent-found.ts';
import { configText, personConfigText } from '../config-text.ts';
import { type Context, fail, localWords } from '../context.ts';
import { EXIT } from '../exit.ts';
import type { Words } from '../messages.ts';
import { readWarnings, showWarnings } from '../show-warnings.ts';

/** Writes `baton.yaml` with the defaults and the first usable agent. An existing file is never changed. */
export async function init(context: Context): Promise<number> {
  const { screen, deps } = context;
  const words = localWords(context);
  const here = (await deps.agents()).filter(({ program }) => program !== null);
  const agent = here.find(({ signed_in, problem }) => signed_in !== false && !problem);
  const { ok, path } = await deps.writeConfig(configText(agent?.name ?? 'rehearsal'));
  if (!ok) return fail(context, EXIT.refused, [words.config_exists(path), words.config_fix]);
  const own = await deps.writePersonConfig(personConfigText);
  const warnings = await readWarnings(context);
  if (screen.json)
    screen.printJson({ ok: true, path, agent: agent?.name ?? 'rehearsal', person: own, warnings });
  screen.text(words.config_written(path));
  screen.text(words.person_config[own.result](own.path));
  screen.text(agent ? words.config_agent(agent.name, agent.title) : whyNone(words, here[0]));
  showWarnings(context, warnings);
  screen.text(`  ${words.start_with(`baton spec "${words.what_you_want}"`)}`);
  return EXIT.done;
}

function whyNone(words: Words, found: AgentFound | undefined): string {
  return found ? words.config_not_signed_in(found.name, found.title) : words.config_no_agent;
}
