import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import type { AgentFound } from '../contract/agent-found.ts';
import { AGENT_KINDS, type AgentSettings } from '../contract/agent-settings.ts';
import { baseEnvironment } from './agent-process/environment.ts';
import { findProgram } from './agent-process/find-program.ts';
import { loadKind } from './agents.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How long a program may take to say its version; one of them needs more than three seconds. */
const VERSION_MS = 15_000;

/** Every agent there could be: the kinds, and the person's own entries. Each program is asked for its version only. */
export async function discoverAgents(
  agents: Readonly<Record<string, AgentSettings>>,
  env: Environment,
  root: string,
): Promise<AgentFound[]> {
  const own = Object.keys(agents).filter((name) => !(AGENT_KINDS as readonly string[]).includes(name));
  const found = [...AGENT_KINDS, ...own].map((name) => lookAt(name, agents[name], env, root));
  return (await Promise.all(found)).filter((agent) => agent !== null);
}

async function lookAt(
  name: string,
  settings: AgentSettings | undefined,
  env: Environment,
  root: string,
): Promise<AgentFound | null> {
  const kind = await loadKind(settings?.kind ?? name);
  const command = settings?.command ?? kind?.command;
  // A kind that drives any program is an agent only once a program is named.
  if (!kind || !command) return null;
  const program = findProgram(command[0] ?? '', env, root);
  const allowed = baseEnvironment(env, kind.env);
  return {
    name,
    title: kind.title,
    program,
    version: program === null ? null : await versionOf([program, ...command.slice(1)], kind.version, allowed),
    signed_in: program === null ? null : kind.signedIn(env, env.HOME ?? homedir()),
    capabilities: kind.capabilities,
  };
}

/** The first number with dots it prints; null when it prints none in time. */
function versionOf(
  [program = '', ...first]: readonly string[],
  args: readonly string[],
  env: Record<string, string>,
): Promise<string | null> {
  if (args.length === 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    execFile(program, [...first, ...args], { env, timeout: VERSION_MS, killSignal: 'SIGKILL' }, (_, out) => {
      resolve(/\d+\.\d+[\w.+-]*/.exec(out)?.[0] ?? null);
    });
  });
}
