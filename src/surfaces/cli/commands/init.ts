import { CONFIG_TEXT } from '../config-text.ts';
import { type Context, fail, localWords } from '../context.ts';
import { EXIT } from '../exit.ts';

/** Writes `baton.yaml` with the defaults; an existing one is never touched. */
export async function init(context: Context): Promise<number> {
  const { screen, deps } = context;
  const words = localWords(context);
  const { ok, path } = await deps.writeConfig(CONFIG_TEXT);
  if (!ok) return fail(context, EXIT.refused, [words.config_exists(path), words.config_fix]);
  if (screen.json) screen.printJson({ ok: true, path });
  screen.text(words.config_written(path));
  screen.text(`  ${words.start_with(`baton spec "${words.what_you_want}"`)}`);
  return EXIT.done;
}
