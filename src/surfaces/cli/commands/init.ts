import type { AgentFound } from '../../../contract/agent-found.ts';
import { configText, personConfigText } from '../config-text.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { refuse } from '../refused.ts';
import { readWarnings, showWarnings } from '../show-warnings.ts';
import type { Words } from '../words.ts';

/** Writes `baton.yaml` with the defaults and the first usable agent. An existing file is never changed. */
export async function init(context: Context): Promise<number> {
  const { screen, deps, words } = context;
  const here = (await deps.agents()).filter(({ program }) => program !== null);
  const agent = here.find(({ signed_in, problem }) => signed_in !== false && !problem);
  const { ok, path } = await deps.writeConfig(configText(agent?.name ?? 'rehearsal'));
  if (!ok) return refuse(EXIT.refused, [words('cli.config_exists', { path }), words('cli.config_fix')]);
  const own = await deps.writePersonConfig(personConfigText);
  const warnings = await readWarnings(context);
  if (screen.json)
    screen.printJson({ ok: true, path, agent: agent?.name ?? 'rehearsal', person: own, warnings });
  screen.text(words('cli.config_written', { path }));
  screen.text(words(`cli.person_config.${own.result}`, { path: own.path }));
  screen.text(
    agent ? words('cli.config_agent', { name: agent.name, title: agent.title }) : whyNone(words, here[0]),
  );
  showWarnings(context, warnings);
  screen.text(`  ${words('cli.start_with', { command: `baton spec "${words('cli.what_you_want')}"` })}`);
  return EXIT.done;
}

function whyNone(words: Words, found: AgentFound | undefined): string {
  return found
    ? words('cli.config_not_signed_in', { name: found.name, title: found.title })
    : words('cli.config_no_agent');
}
