import { writeFileSync } from 'node:fs';
import { hang, leaveProcess, print, RESULT, scenario, task } from './common.mjs';

// A program that knows nothing of Baton but the file its result goes to.

if (scenario === 'says') {
  const argument = process.argv[3] ?? null;
  const stdin = argument === null ? task() : '';
  writeFileSync(process.env.BATON_RESULT_FILE, JSON.stringify({ argument, stdin, env: process.env }));
  process.exit(0);
}
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
print('working');
if (scenario === 'hangs') await hang();
if (scenario === 'fails') process.exit(3);
process.stdout.write(RESULT); // the last line without its end
