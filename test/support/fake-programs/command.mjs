import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { leaveProcess } from './play.mjs';

// A program that knows nothing of Baton but the file its result goes to. `says`: tells there what it was given.

const [, , scenario, argument = null] = process.argv;
if (scenario === 'says') {
  const stdin = argument === null ? await text(process.stdin) : '';
  writeFileSync(process.env.BATON_RESULT_FILE, JSON.stringify({ argument, stdin, env: process.env }));
  process.exit(0);
}
if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
console.log('working');
if (scenario === 'fails') process.exit(3);
if (scenario === 'hangs') setInterval(() => {}, 1000);
else process.stdout.write('```json\n{"ok": true}\n```'); // the last line without its end
