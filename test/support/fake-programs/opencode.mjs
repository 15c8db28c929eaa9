import { hang, leaveProcess, print, RESULT, scenario, task } from './common.mjs';

const base = { timestamp: 1794842356313, sessionID: 'ses_e1b0f4b2fffex8IhRWGFhcm41C' };
const tokens = { total: 1050, input: 1000, output: 50, reasoning: 0, cache: { write: 0, read: 0 } };
task();
if (scenario === 'fails') {
  print({ type: 'error', ...base, error: { name: 'UnknownError', data: { message: 'no such model' } } });
  process.exit(1);
}
print({ type: 'step_start', ...base, part: { type: 'step-start' } });
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
const input = { filePath: `${process.cwd()}/src/a.ts`, content: 'a' };
print({
  type: 'tool_use',
  ...base,
  part: { type: 'tool', tool: 'write', state: { status: 'completed', input } },
});
if (scenario === 'hangs') await hang();
print({ type: 'step_finish', ...base, part: { reason: 'tool-calls', tokens, cost: 0 } });
print({ type: 'text', ...base, part: { type: 'text', text: RESULT } });
print({ type: 'step_finish', ...base, part: { reason: 'stop', tokens, cost: 0 } });
