import type { AgentFound } from '../../../contract/agent-found.ts';
import type { Context } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
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

/**
 * The file `baton init` writes. Every line but namespace and agent is a comment, so that the program's defaults apply.
 */
const configText = (
  agent: string,
): string => `# Settings of Baton for this repository. A run keeps what it was started with.
# A setting behind a # is its default, or an example (agents, checks, roles); remove the # to set it.

# Documents go to docs/<namespace>/, branches are called <namespace>/...
namespace: baton

# Begins the ids of tickets: B-1, B-2, ... Capital letters and digits, at most 10.
# ticket_key: B

# Who does the work: claude, codex, gemini, opencode, or an agent of your own named below; baton agents shows what is
# there. rehearsal plays a script and needs no model, no account and no network.
agent: ${agent}

# Settings per agent. Which program it starts and which variables it sees is in your own settings, not here.
# agents:
#   claude:
#     models: { opus: claude-opus-4-5 }
#     at_once: 4
#     stall_minutes: 5
#   mine:
#     kind: acp

# At least this sandbox for everybody who works here: auto where the machine can do it, or required. Your own settings
# may ask for more.
# sandbox: auto

# The language Baton speaks to you in: en, ko, ja, zh, es or de. Without it the task decides.
# language: en

# A run stops and asks when one of these is used up. null means no limit.
# budget:
#   money_usd: 5
#   tokens: null
#   worker_minutes: 60
#   attempts: null
#   per_call:
#     money_usd: null
#     tokens: null
#     worker_minutes: null

# Commands that win over what is found in the project; null means there is no such check.
# checks:
#   build: npm run build
#   test: npm test
#   lint: null
#   type_check: null
#   timeout_minutes: 15

# Where a ticket's change is published and the commands that tell and do it (docs/guide/release.md).
# release:
#   remote: origin
#   branch: null
#   checks: null
#   deploy: null
#   deployed: null
#   observe: null
#   approved: null
#   bot: false
#   timeout_minutes: 15

# How many workers and checks of this repository may run at the same time.
# at_once: 8

# Minutes a run that was handed over stays so at a gate that waits for a person; after that an answer goes on gate by gate.
# attend_minutes: 10

# Tickets: whether a person may acknowledge a risk class of a ticket, whether a judge watches what you answer (baton stats),
# and which names and paths are shared core.
# conduct:
#   acknowledge: false
#   shadow_judge: false
#   shared_core: { modules: [], globs: [] }

# Days the work tree of an ended run is kept after its last use.
# keep_trees_days: 14

# Who plays a role: a named agent or skill of your agent program, or an agent and a model of its own.
# roles:
#   evaluator: { agent: codex }
#   convention_scanner: { model: haiku, as: code-reader }
`;

/**
 * The person's settings that `baton init` writes if they have none. All lines are comments, so that all defaults apply.
 */
const personConfigText = `# Your own settings of Baton, for all your repositories. A repository cannot change them.
# A line that begins with # is the default or an example; remove the # to change it.

# Whether workers and checks are locked into their tree (bubblewrap): auto where the machine can do it, off, or required.
# A baton.yaml may only ask for more.
# sandbox: auto

# Paths that workers and checks may read in the sandbox beside what they need.
# sandbox_show: [~/.npmrc]

# Checks have no network in the sandbox unless this line is here.
# sandbox_network: checks

# Asked of you where workers had no sandbox and your terminal is younger than the run: sudo, or a security key.
# proof: { security_key: ~/.ssh/id_ed25519_sk }

# Per agent: the program, variables it may see beside its own, folders it may write in the sandbox.
# agents:
#   claude:
#     env: [MY_PROXY_TOKEN]
#   mine:
#     kind: acp
#     command: [my-agent, --acp]
#     folders: [~/.my-agent]
`;
