import type { AgentFound, Capabilities } from '../../../contract/agent-found.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { readWarnings, showWarnings } from '../show-warnings.ts';
import type { Words } from '../words.ts';

/** Shows the agents, whether they can be used now, and what each can do. */
export async function agents(context: Context): Promise<number> {
  const { screen, deps, words } = context;
  const [found, warnings] = await Promise.all([deps.agents(), readWarnings(context)]);
  if (screen.json) screen.printJson({ ok: true, agents: found, warnings });
  const installed = found.filter(({ program }) => program !== null);
  for (const agent of installed) printInstalled(context, agent);
  const missing = found.filter(({ program }) => program === null).map(({ name }) => name);
  if (missing.length > 0)
    screen.text(
      `${screen.paint('faint', '·')} ${words('cli.agents_missing', { names: missing.join(', ') })}`,
    );
  screen.line();
  if (installed.length === 0) screen.text(words('cli.agents_none'));
  screen.text(words('cli.agents_rehearsal'));
  screen.text(`  ${words('cli.agents_use', { name: installed[0]?.name ?? 'rehearsal' })}`);
  showWarnings(context, warnings);
  return EXIT.done;
}

function printInstalled(
  context: Context,
  { name, title, version, problem, signed_in, sign_in, capabilities }: AgentFound,
): void {
  const { screen, words } = context;
  const signed = signed_in
    ? words('cli.agent_signed_in')
    : words('cli.agent_signed_out', { command: sign_in ?? name });
  const state = problem
    ? words(`cli.agent_problem.${problem}`)
    : signed_in === null
      ? words('cli.agent_unsure')
      : signed;
  const sign = problem || signed_in === false ? screen.paint('waits', '!') : screen.paint('proven', '✓');
  screen.text(
    `${sign} ${screen.paint('strong', name)}  ${title} ${version ?? words('cli.agent_no_version')}, ${state}`,
    '    ',
  );
  screen.text(`    ${abilities(capabilities, words)}`, '    ');
}

const SHOWN = ['resume', 'cost', 'tokens', 'schema', 'permission_requests', 'read_only'] as const;

/** The abilities an agent has and those it lacks, in one line. */
function abilities(capabilities: Capabilities, words: Words): string {
  const named = (has: boolean) =>
    SHOWN.filter((ability) => capabilities[ability] === has).map((ability) =>
      words(`cli.ability.${ability}`),
    );
  const can = words('cli.agent_can', {
    list: [...named(true), words(`cli.ability.${capabilities.cancel}`)].join(', '),
  });
  const cannot = named(false);
  return cannot.length === 0 ? can : `${can}; ${words('cli.agent_cannot', { list: cannot.join(', ') })}`;
}
