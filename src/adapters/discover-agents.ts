import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import type { AgentFound } from '../contract/agent-found.ts';
import { AGENT_KINDS, type AgentSettings } from '../contract/agent-settings.ts';
import { findProgram } from '../files/find-program.ts';
import { baseEnvironment } from './agent-process/command-line.ts';
import { loadKind } from './agents.ts';
import { CALL_ID } from './processes/process-table.ts';
import { createProcesses } from './processes/processes.ts';
import { isInside } from './sandbox/outside-path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One known program needs more than three seconds to print its version. */
const VERSION_MS = 15_000;
/** Only about this many characters are read. A version is at the beginning of the output. */
const LONGEST = 10_000;

interface Folders {
  readonly root: string;
  readonly state: string;
  /** How long a program may take to print its version. */
  readonly version_ms?: number;
}

/**
 * All possible agents: the kinds, and the person's own entries. Each program is started only to print its version. A
 * program that a worker could have written is not started, because it would run outside the sandbox.
 */
export async function discoverAgents(
  agents: Readonly<Record<string, AgentSettings>>,
  env: Environment,
  folders: Folders,
): Promise<AgentFound[]> {
  const own = Object.keys(agents).filter((name) => !(AGENT_KINDS as readonly string[]).includes(name));
  const found = [...AGENT_KINDS, ...own].map((name) => inspect(name, agents[name], env, folders));
  return (await Promise.all(found)).filter((agent) => agent !== null);
}

async function inspect(
  name: string,
  settings: AgentSettings | undefined,
  env: Environment,
  { root, state, version_ms = VERSION_MS }: Folders,
): Promise<AgentFound | null> {
  const kind = await loadKind(settings?.kind ?? name);
  const command = settings?.command ?? kind?.command;
  // A kind that can drive any program is an agent only if an entry names a program.
  if (!kind || !command) return null;
  const program = findProgram(command[0] ?? '', env.PATH ?? '', root);
  const allowed = baseEnvironment(env, kind.env);
  const none = { version: null, problem: null };
  return {
    name,
    title: kind.title,
    program,
    ...(program === null || kind.version.length === 0 || isInside(program, [root, state])
      ? none
      : await versionOf([program, ...command.slice(1), ...kind.version], allowed, version_ms)),
    signed_in: program === null ? null : kind.signedIn(env, env.HOME ?? homedir()),
    sign_in: kind.sign_in ?? null,
    capabilities: kind.capabilities,
  };
}

/** The first number with dots in the output. A program that hangs is killed with everything it started. */
function versionOf(
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
  version_ms: number,
): Promise<Pick<AgentFound, 'version' | 'problem'>> {
  const call_id = `version/${process.pid}/${program}`;
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, args, { env: { ...env, [CALL_ID]: call_id }, stdio: [...stdio] });
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
        .killLeftovers(call_id)
        .finally(() => tell('silent'));
    }, version_ms);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (out.length < LONGEST) out += chunk;
    });
    child.on('error', () => tell('failed'));
    // Not `exit`: the program's output may not be complete then.
    child.on('close', (code) => {
      if (!silent) tell(code === 0 ? null : 'failed');
    });
  });
}
