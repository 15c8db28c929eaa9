import { play } from './play.mjs';

// Speaks as `opencode run --format json` 1.18.33 does, without a model.
const base = { timestamp: 1794842356313, sessionID: 'ses_e1b0f4b2fffex8IhRWGFhcm41C' };
const tokens = { total: 1050, input: 1000, output: 50, reasoning: 0, cache: { write: 0, read: 0 } };
const state = { status: 'completed', input: { filePath: `${process.cwd()}/README` }, output: 'photos' };

await play({
  begins: [
    { type: 'step_start', ...base, part: { type: 'step-start' } },
    { type: 'tool_use', ...base, part: { type: 'tool', tool: 'read', state } },
    { type: 'step_finish', ...base, part: { reason: 'tool-calls', tokens, cost: 0 } },
  ],
  ends: [
    { type: 'text', ...base, part: { type: 'text', text: '```json\n{"ok": true}\n```' } },
    { type: 'step_finish', ...base, part: { reason: 'stop', tokens, cost: 0 } },
  ],
  fails: [{ type: 'error', ...base, error: { name: 'UnknownError', data: { message: 'no such model' } } }],
});
