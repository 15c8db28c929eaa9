import { hang, leaveProcess, print, RESULT, scenario, task } from './common.mjs';

const timestamp = '2026-11-16T15:16:02.365Z';
task();
print({ type: 'init', timestamp, session_id: '6c896bc8-dd03-4ed5-b715-149e42569a9d', model: 'flash' });
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
const parameters = { file_path: `${process.cwd()}/src/a.ts`, content: 'a' };
print({ type: 'tool_use', timestamp, tool_name: 'write_file', tool_id: 'write_1', parameters });
if (scenario === 'hangs') await hang();
print({ type: 'tool_result', timestamp, tool_id: 'write_1', status: 'success' });
for (const content of [RESULT.slice(0, 9), RESULT.slice(9)])
  print({ type: 'message', timestamp, role: 'assistant', content, delta: true });
const stats = { total_tokens: 2100, input_tokens: 2000, output_tokens: 100 };
const error = { type: 'FatalTurnLimitedError', message: 'Reached max session turns for this session.' };
print(
  scenario === 'fails'
    ? { type: 'result', timestamp, status: 'error', error, stats }
    : { type: 'result', timestamp, status: 'success', stats },
);
process.exitCode = scenario === 'fails' ? 53 : 0;
