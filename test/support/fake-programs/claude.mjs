import { play } from './play.mjs';

// Speaks as `claude -p --output-format stream-json` 2.1.325 does, without a model.
const session_id = '0b8f7c7e-9d5b-4a39-8d5f-2f1c7b9f0a11';
const usage = {
  input_tokens: 1000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 50,
};
const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'README' } }];
const result = { type: 'result', session_id, usage, total_cost_usd: 0.01, permission_denials: [] };

await play({
  begins: [
    { type: 'system', subtype: 'init', session_id, cwd: process.cwd() },
    { type: 'assistant', message: { id: 'msg_1', role: 'assistant', content, usage }, session_id },
  ],
  ends: [
    { ...result, subtype: 'success', is_error: false, result: 'Done.', structured_output: { ok: true } },
  ],
  fails: [{ ...result, subtype: 'success', is_error: true, api_error_status: 400, result: 'API Error: 400' }],
});
