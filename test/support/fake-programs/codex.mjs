import { hang, leaveProcess, print, scenario, task } from './common.mjs';

// As `codex exec --json` 0.166.0 speaks.
const command = { id: 'item_1', type: 'command_execution', command: "/bin/bash -lc 'cat README'" };

task();
print({ type: 'thread.started', thread_id: '01a1e4eb-ba96-7880-bf72-9ff37372afcc' });
print({ type: 'turn.started' });
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
print({ type: 'item.started', item: { ...command, status: 'in_progress' } });
if (scenario === 'hangs') await hang();
if (scenario === 'fails') {
  print({ type: 'turn.failed', error: { message: 'unexpected status 400 Bad Request' } });
  process.exit(1);
}
print({ type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: '{"ok":true}' } });
print({ type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 50 } });
