import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { CASES } from './cases.ts';
import { installProgram, type ProgramName } from './programs.ts';

/**
 * Runs every case with every real program against the scripted model: `npm run test:agents [-- --json]
 * [--agent claude] [--case hang]`. A program that cannot be installed here is skipped, and why is said.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    agent: { type: 'string', multiple: true },
    case: { type: 'string', multiple: true },
  },
});

const AGENTS: Readonly<Record<string, ProgramName>> = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
  acp: 'claude-acp',
};

interface Tally {
  version: string;
  passed: string[];
  failed: string[];
  skipped: string[];
}

const say = (line: string) => process.stderr.write(`${line}\n`);
const chosen = Object.entries(AGENTS).filter(([agent]) => !values.agent || values.agent.includes(agent));
const agents = await (chosen.length > 1 ? tryTogether(chosen) : tryOneByOne(chosen));
if (values.json) process.stdout.write(`${JSON.stringify({ agents })}\n`);
process.exitCode = Object.values(agents).some(({ failed }) => failed.length > 0) ? 1 : 0;

async function tryOneByOne(all: readonly [string, ProgramName][]): Promise<Record<string, Tally>> {
  const tallies: Record<string, Tally> = {};
  for (const [agent, program] of all) tallies[agent] = await tryAgent(agent, program);
  return tallies;
}

/** A process for each agent, because most of a case is waiting, and cases of one process share its environment. */
async function tryTogether(all: readonly [string, ProgramName][]): Promise<Record<string, Tally>> {
  const cases = (values.case ?? []).flatMap((name) => ['--case', name]);
  const parts = all.map(async ([agent]) => {
    const args = [import.meta.filename, '--json', '--agent', agent, ...cases];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    return (JSON.parse(await text(child.stdout)) as { agents: Record<string, Tally> }).agents;
  });
  return Object.assign({}, ...(await Promise.all(parts))) as Record<string, Tally>;
}

async function tryAgent(agent: string, program: ProgramName): Promise<Tally> {
  const names = Object.keys(CASES).filter((name) => !values.case || values.case.includes(name));
  const installed = await installProgram(program);
  const tally: Tally = { version: installed.version, passed: [], failed: [], skipped: [] };
  if (!installed.ok) {
    say(`${agent} ${installed.version}: not installable here, all cases skipped: ${installed.reason}`);
    return { ...tally, skipped: names };
  }
  for (const name of names) {
    const began = Date.now();
    const problem = await CASES[name]?.({ agent, program, file: installed.file }).then(
      () => null,
      (error: unknown) => error,
    );
    (problem ? tally.failed : tally.passed).push(name);
    const seconds = Math.round((Date.now() - began) / 100) / 10;
    say(`${agent} ${name}: ${problem ? `FAILED ${printError(problem)}` : 'ok'} (${seconds} s)`);
  }
  return tally;
}

function printError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 1500) : String(error);
}
