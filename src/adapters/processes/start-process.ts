import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { AdapterError } from '../../engine/errors.ts';
import type { Exit, Running, SpawnSpec } from '../../ports/processes.ts';
import { MARK, PLACE } from './process-table.ts';
import { tailLines } from './tail-lines.ts';

/** The machine is short of something now; asking again may help. */
const SHORTAGES = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC'];

/**
 * Starts a process in a session of its own, with files for all three streams: it goes on when we die, and its words
 * are found. What it reads is kept beside its stdout as `<stdout>.in`. Its environment is exactly `spec.env`, the
 * mark and the workspace. Throws AdapterError `not_started` when there is no process afterwards.
 */
export async function startProcess(spec: SpawnSpec, place: string): Promise<Running> {
  const files: FileHandle[] = [];
  try {
    await writeFile(`${spec.stdout}.in`, spec.stdin, { mode: 0o600 });
    files.push(await open(`${spec.stdout}.in`, 'r'));
    files.push(await open(spec.stdout, 'w', 0o600));
    files.push(await open(spec.stderr, 'w', 0o600));
    const [program = '', ...args] = spec.argv;
    const child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      cwd: spec.cwd,
      detached: true,
      env: { ...spec.env, [MARK]: spec.mark, ...(place === '' ? {} : { [PLACE]: place }) },
      stdio: files.map((file) => file.fd),
    });
    const exit = exitOf(child);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    return { pid, exit, lines: () => tailLines(spec.stdout, exit), interrupt: () => interruptGroup(pid) };
  } catch (cause) {
    throw notStarted(spec, cause);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

function interruptGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // Gone already.
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function notStarted(spec: SpawnSpec, cause: unknown): AdapterError {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const retry = SHORTAGES.includes(code) ? 'transient' : 'permanent';
  const detail = `${spec.argv[0] ?? 'nothing'} in ${spec.cwd}: ${reason}`;
  return new AdapterError({ code: 'not_started', retry, detail }, { cause });
}
