import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { AgentFound } from '../contract/agent-found.ts';
import { AGENT_KINDS, type AgentSettings } from '../contract/agent-settings.ts';
import { baseEnvironment } from './agent-process/environment.ts';
import { findProgram } from './agent-process/find-program.ts';
import { loadKind } from './agents.ts';
import { MARK } from './processes/process-table.ts';
import { createProcesses } from './processes/processes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How long a program may take to say its version; one of them needs more than three seconds. */
const VERSION_MS = 15_000;
/** A version stands at the beginning of what it prints. */
const LONGEST = 10_000;

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
  const none = { version: null, problem: null };
  return {
    name,
    title: kind.title,
    program,
    ...(program === null || kind.version.length === 0
      ? none
      : await versionOf([program, ...command.slice(1), ...kind.version], allowed)),
    signed_in: program === null ? null : kind.signedIn(env, env.HOME ?? homedir()),
    sign_in: kind.sign_in ?? null,
    capabilities: kind.capabilities,
  };
}

/** The first number with dots it prints. One that hangs is ended with all it started. */
function versionOf(
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
): Promise<Pick<AgentFound, 'version' | 'problem'>> {
  const mark = `version/${process.pid}/${program}`;
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, args, { env: { ...env, [MARK]: mark }, stdio: [...stdio] });
    let out = '';
    let silent = false;
    const tell = (without: AgentFound['problem']) => {
      clearTimeout(hanging);
      child.stdout?.destroy();
      const version = /\d+\.\d+[\w.+-]*/.exec(out)?.[0] ?? null;
      resolve({ version, problem: version === null ? without : null });
    };
    const hanging = setTimeout(() => {
      silent = true;
      void createProcesses()
        .sweep(mark)
        .finally(() => tell('silent'));
    }, VERSION_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (out.length < LONGEST) out += chunk;
    });
    child.on('error', () => tell('failed'));
    // Not its exit: what it printed may still be on the way.
    child.on('close', (code) => {
      if (!silent) tell(code === 0 ? null : 'failed');
    });
  });
}
