import { play } from './play.mjs';

// Speaks as `gemini --output-format stream-json` 0.61.0 does, without a model: its messages come in pieces.
const timestamp = '2026-11-16T15:16:02.365Z';
const message = { type: 'message', timestamp, role: 'assistant', delta: true };
const parameters = { file_path: `${process.cwd()}/README` };
const stats = { total_tokens: 1050, input_tokens: 1000, output_tokens: 50 };
const error = { type: 'FatalTurnLimitedError', message: 'Reached max session turns for this session.' };

await play({
  begins: [
    { type: 'init', timestamp, session_id: '6c896bc8-dd03-4ed5-b715-149e42569a9d', model: 'flash' },
    { type: 'tool_use', timestamp, tool_name: 'read_file', tool_id: 'read_1', parameters },
    { type: 'tool_result', timestamp, tool_id: 'read_1', status: 'success' },
  ],
  ends: [
    { ...message, content: '```js' },
    { ...message, content: 'on\n{"ok": true}\n```' },
    { type: 'result', timestamp, status: 'success', stats },
  ],
  fails: [{ type: 'result', timestamp, status: 'error', error, stats }],
});
