import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createProcesses } from './adapters/processes/processes.ts';
import type { Person } from './contract/answer.ts';
import { type Rejection, reject } from './engine/rejection.ts';
import type { Processes } from './ports/processes.ts';

/**
 * Proof of a person on the command line: a controlling terminal, and no worker or check among our ancestors. Without
 * a sandbox this stops mistakes, not hostile code of the same user.
 */
export async function provePerson(
  folder: string,
  processes: Pick<Processes, 'markedAncestor'> = createProcesses(),
): Promise<Person | Rejection> {
  const marked = refuseMarked(processes);
  if (marked) return marked;
  if (!(await hasTerminal())) {
    return reject('not_a_person', {
      reason: 'there is no terminal here; run the same command in a terminal',
    });
  }
  return { person: await personName(folder), surface: 'cli', proof: 'terminal' };
}

/** A worker or check, or anything it started, neither answers nor stops nor resumes; null for everybody else. */
export function refuseMarked(
  processes: Pick<Processes, 'markedAncestor'> = createProcesses(),
): Rejection | null {
  const mark = processes.markedAncestor();
  return mark === null
    ? null
    : reject('not_a_person', { reason: `this process was started by a worker (${mark})`, mark });
}

async function hasTerminal(): Promise<boolean> {
  try {
    await (await open('/dev/tty', 'r+')).close();
    return true;
  } catch {
    return false; // no controlling terminal: a pipe, a cron job, a detached process
  }
}

async function personName(folder: string): Promise<string> {
  const lines = await new Promise<string>((resolve) => {
    // Without git or without the setting there is no name; the system's own stands in.
    const args = ['config', '-z', '--get-regexp', '^user\\.(name|email)$'];
    execFile('git', args, { cwd: folder }, (_error, stdout) => resolve(stdout ?? ''));
  });
  // The last of several is the one that counts.
  const entries = lines.split('\0').map((line) => line.split('\n'));
  const setting = (key: string) => (entries.findLast(([found]) => found === key)?.[1] ?? '').trim();
  const [name, email] = [setting('user.name'), setting('user.email')];
  return name ? `${name}${email ? ` <${email}>` : ''}` : userInfo().username;
}
