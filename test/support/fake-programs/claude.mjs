import { hang, leaveProcess, print, scenario, task } from './common.mjs';

// As `claude -p --output-format stream-json` 2.1.325 speaks.
const session_id = '0b8f7c7e-9d5b-4a39-8d5f-2f1c7b9f0a11';
const usage = {
  input_tokens: 1000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 50,
};
const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'README' } }];
const result = {
  type: 'result',
  subtype: 'success',
  session_id,
  usage,
  total_cost_usd: 0.01,
  permission_denials: [],
};

task();
print({ type: 'system', subtype: 'init', session_id, cwd: process.cwd() });
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
print({ type: 'assistant', message: { id: 'msg_1', role: 'assistant', content, usage }, session_id });
if (scenario === 'hangs') await hang();
print(
  scenario === 'fails'
    ? { ...result, is_error: true, api_error_status: 400, result: 'API Error: 400' }
    : { ...result, is_error: false, result: 'Done.', structured_output: { ok: true } },
);
process.exitCode = scenario === 'fails' ? 1 : 0;
