import { ACP_AGENTS, ACP_CASE_NAMES, recordAcp } from './record-acp.ts';
import { CASES, COMMANDS } from './record-cases.ts';
import { recordStream, type Streaming } from './record-stream.ts';

// Runs the real programs through the cases and keeps what they said: `node test/agents/record.ts [program] [case...]`.
// The parsers of the adapters are tested on these lines, so a new version of a program is first recorded again.

const [only, ...chosen] = process.argv.slice(2);
const all = [...Object.keys(COMMANDS), ...Object.keys(ACP_AGENTS)];
for (const program of only ? [only] : all) {
  const isAcp = program in ACP_AGENTS;
  const names = isAcp ? ACP_CASE_NAMES : Object.keys(CASES);
  for (const name of chosen.length > 0 ? chosen : names) {
    if (isAcp) await recordAcp(program as keyof typeof ACP_AGENTS, name);
    else await recordStream(program as Streaming, name);
  }
}
process.exit(0);
