import { configText } from '../config-text.ts';
import { type Context, fail, localWords } from '../context.ts';
import { EXIT } from '../exit.ts';

/** Writes `baton.yaml` with the defaults and the first agent that can be used; an existing one is never touched. */
export async function init(context: Context): Promise<number> {
  const { screen, deps } = context;
  const words = localWords(context);
  const agent = (await deps.agents()).find(
    ({ program, signed_in }) => program !== null && signed_in !== false,
  );
  const { ok, path } = await deps.writeConfig(configText(agent?.name ?? 'rehearsal'));
  if (!ok) return fail(context, EXIT.refused, [words.config_exists(path), words.config_fix]);
  if (screen.json) screen.printJson({ ok: true, path, agent: agent?.name ?? 'rehearsal' });
  screen.text(words.config_written(path));
  screen.text(agent ? words.config_agent(agent.name, agent.title) : words.config_no_agent);
  screen.text(`  ${words.start_with(`baton spec "${words.what_you_want}"`)}`);
  return EXIT.done;
}
