import { play } from './play.mjs';

// Speaks as `codex exec --json` 0.166.0 does, without a model.
const command = { id: 'item_1', type: 'command_execution', command: "/bin/bash -lc 'cat README'" };
const usage = { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 50 };

await play({
  begins: [
    { type: 'thread.started', thread_id: '01a1e4eb-ba96-7880-bf72-9ff37372afcc' },
    { type: 'turn.started' },
    { type: 'item.started', item: { ...command, status: 'in_progress' } },
  ],
  ends: [
    { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: '{"ok":true}' } },
    { type: 'turn.completed', usage },
  ],
  fails: [{ type: 'turn.failed', error: { message: 'unexpected status 400 Bad Request' } }],
});
