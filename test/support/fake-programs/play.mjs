import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** What every fake program does: reads its task, plays its scenario in the words of the real one, and ends. */
export async function play({ begins, ends, fails }) {
  const scenario = process.argv[2];
  const say = (...lines) => {
    for (const line of lines) console.log(JSON.stringify(line));
  };
  if ((await text(process.stdin)) === '') process.exit(2); // the task comes on stdin or not at all
  say(...begins);
  if (scenario === 'hangs' || scenario === 'leaves_process') leaveProcess();
  if (scenario === 'hangs') return void setInterval(() => {}, 1000);
  const failed = scenario === 'fails';
  say(...(failed ? fails : ends));
  process.exitCode = failed ? 1 : 0;
}

/** A process in a session of its own, as shells of agents have it. */
export function leaveProcess() {
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
}
