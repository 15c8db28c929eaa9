import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type AdapterError, failure } from '../../engine/errors.ts';
import { errno } from '../../engine/system-error.ts';
import { isProgram } from '../../files/find-program.ts';
import type { Exit, Running, SpawnSpec } from '../../ports/processes.ts';
import { CALL_ID, WORKSPACE } from './process-table.ts';
import { limitsFor, readLimits, tagRange } from './process-tag.ts';
import { interruptRoom, readStatus, roomFiles } from './room-status.ts';

/** The machine lacks a resource now. A retry may help. */
const SHORTAGES = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC'];

/** A running process; `first` is the first process of its sandbox, null without one. */
export interface Started extends Running {
  readonly first: number | null;
}

/**
 * Starts a process in a session of its own, with files for all three streams. It continues if we die, and its output is
 * still found. Its input is stored next to stdout as `<stdout>.in`. Its environment is exactly `spec.env`, the call id
 * and the workspace. Throws AdapterError `not_started` if no process was started, and `sandbox_failed` if bubblewrap
 * could not start it. One of 4,000 starts of bubblewrap fails on a busy machine, so it gets two tries.
 */
export async function startProcess(spec: SpawnSpec, location: string): Promise<Started> {
  const running = await startOnce(spec, location);
  if (!spec.room || running.first !== null) return running;
  const again = await startOnce(spec, location);
  if (again.first !== null) return again;
  throw failure('sandbox_failed', wordsOf(spec), { retry: 'transient' });
}

async function startOnce(spec: SpawnSpec, location: string): Promise<Started> {
  const files: FileHandle[] = [];
  const room = spec.room ? roomFiles(spec.stdout) : null;
  try {
    await writeFile(`${spec.stdout}.in`, spec.stdin, { mode: 0o600 });
    files.push(await open(`${spec.stdout}.in`, 'r'));
    const written = [spec.stdout, spec.stderr, ...(room ? [room.status, room.left] : [])];
    for (const file of written) files.push(await open(file, 'w', 0o600));
    const argv = spec.trusted ? spec.argv : tagCommand(found(spec), location, spec.call_id);
    const [program = '', ...args] = argv;
    const child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      cwd: spec.cwd,
      detached: true,
      env: { ...spec.env, [CALL_ID]: spec.call_id, ...(location === '' ? {} : { [WORKSPACE]: location }) },
      stdio: files.map((file) => file.fd),
    });
    const ended = exitOf(child);
    const exit = room ? ended.then((found) => exitOfRoom(spec, room.status, found)) : ended;
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const first = room ? await firstOf(room.status, ended) : null;
    const interrupt = () => (first === null ? interruptGroup(pid) : interruptRoom(first));
    return { pid, first, exit, lines: () => tailLines(spec.stdout, exit), interrupt };
  } catch (cause) {
    throw notStarted(spec, cause);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** Checks that the program exists. The shell that starts it would report a missing program only by an exit code. */
function found({ argv, env, cwd }: SpawnSpec): readonly string[] {
  const [program = ''] = argv;
  const folders = program.includes('/') ? ['.'] : (env.PATH ?? '').split(path.delimiter);
  const isThere = folders.some((folder) => isProgram(path.resolve(cwd, folder, program)));
  if (existsSync(cwd) && !isThere) throw new Error(`no program "${program}"`);
  return argv;
}

/** Waits until bubblewrap has created the room and returns its first process; null if bubblewrap ended before that. */
async function firstOf(status: string, ended: Promise<Exit>): Promise<number | null> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (;;) {
    const last = over;
    const { first } = readStatus(status);
    if (first !== null || last) return first;
    await wait(1);
  }
}

/**
 * The exit code of the command itself. If bubblewrap did not report one, the sandbox failed, unless bubblewrap was
 * killed.
 */
function exitOfRoom(spec: SpawnSpec, file: string, ended: Exit): Exit {
  const { exit } = readStatus(file);
  if (exit === null) return ended.signal === null ? { ...ended, fault: wordsOf(spec) } : ended;
  return { code: exit, signal: null };
}

/** The first line of stderr that names bwrap, else its first line. */
function wordsOf({ stderr }: SpawnSpec): string {
  const words = readFileSync(stderr, 'utf8').split('\n').filter(Boolean);
  return words.find((line) => line.includes('bwrap')) ?? words[0] ?? 'bubblewrap ended without a word';
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
  const code = errno(cause) ?? '';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const detail = `${spec.argv[0] ?? 'nothing'} in ${spec.cwd}: ${reason}`;
  // Here the missing program is bubblewrap, so the error does not concern the command.
  if (spec.room) return failure('sandbox_failed', detail, { retry: 'transient', cause });
  const retry = SHORTAGES.includes(code) ? 'transient' : 'permanent';
  return failure('not_started', detail, { retry, cause });
}

/** POSIX counts `ulimit -f` in blocks of this size. */
const BLOCK = 512n;

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

let setpriv: string[] | null = null;

/**
 * Adds the process tag of a call to a command, and prevents the command from gaining privileges. Inside a worker of
 * another Baton the process already has a tag, which must stay unchanged.
 */
function tagCommand(argv: readonly string[], location: string, call_id: string): string[] {
  if (process.platform !== 'linux') return [...argv];
  setpriv ??= findSetpriv();
  const own = readLimits() ?? { file: null, locks: null };
  const { file, locks } = limitsFor(tagRange(location, call_id).from, own);
  const line = [
    ...(file === null ? [] : [`ulimit -f ${file / BLOCK}`]),
    // Shells use different letters for this limit. If neither works, the limit on file size alone carries the tag.
    ...(locks === null ? [] : [`{ ulimit -w ${locks} || ulimit -x ${locks}; } 2> /dev/null`]),
    'exec "$@"',
  ].join('; ');
  return ['/bin/sh', '-c', line, 'sh', ...setpriv, ...argv];
}

/** Root could raise the limit again, so root loses that capability. */
function findSetpriv(): string[] {
  const program = SETPRIV.find(existsSync);
  if (!program) return [];
  const root = ['--bounding-set', '-sys_resource', '--inh-caps', '-sys_resource'];
  return [program, '--no-new-privs', ...(process.getuid?.() === 0 ? root : [])];
}

const POLL_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/** Limits on reading a worker's output, in bytes: of one line, and in total. */
interface TailLimits {
  readonly line: number;
  readonly total: number;
}

const TAIL_LIMITS: TailLimits = { line: 1024 * 1024, total: 64 * 1024 * 1024 };

/**
 * Yields the lines of a file while another process writes it. Ends when `exited` has settled and the file is read to
 * its end. The last line counts even without a newline. A line over the limit is cut and says so. After `limits.total`
 * bytes it yields nothing more, but still ends only with the process.
 */
export async function* tailLines(
  file: string,
  exited: Promise<unknown>,
  limits: TailLimits = TAIL_LIMITS,
): AsyncGenerator<string, void, undefined> {
  const handle = await open(file, 'r');
  const bell = hangBell(file, exited);
  try {
    const reader = { handle, cutter: createLineCutter(limits.line), left: limits.total };
    for (;;) {
      // Checked before reading, so that everything written before the exit is in the file.
      const over = bell.isOver();
      yield* readToEnd(reader);
      if (over) break;
      await bell.next();
    }
    const rest = reader.cutter.rest();
    if (rest !== null && reader.left > 0) yield rest;
  } finally {
    bell.remove();
    await handle.close();
  }
}

async function* readToEnd(reader: { handle: FileHandle; cutter: LineCutter; left: number }) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  while (reader.left > 0) {
    const { bytesRead } = await reader.handle.read(buffer, 0, Math.min(CHUNK_BYTES, reader.left));
    if (bytesRead === 0) return;
    reader.left -= bytesRead;
    yield* reader.cutter.push(buffer.subarray(0, bytesRead));
  }
}

/**
 * Rings when the file may have grown or the process has ended. A timer replaces file watching where that does not work.
 */
function hangBell(file: string, exited: Promise<unknown>) {
  let over = false;
  let rung = false;
  let wake = () => {};
  const ring = () => {
    rung = true;
    wake();
  };
  const end = () => {
    over = true;
    ring();
  };
  exited.then(end, end);
  const timer = setInterval(ring, POLL_MS);
  const removeWatch = tryWatch(file, ring);
  return {
    isOver: () => over,
    async next() {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (rung) resolve();
      });
      rung = false;
    },
    remove() {
      clearInterval(timer);
      removeWatch();
    },
  };
}

function tryWatch(file: string, ring: () => void): () => void {
  try {
    const watcher = watch(file, { persistent: false }, ring);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** Appended to a line that was longer than allowed. */
export const CUT_SIGN = ' [cut: the line was too long]';

const NEWLINE = 0x0a;

/** Splits chunks of bytes into lines. It holds at most `max` bytes of one line and drops the surplus. */
interface LineCutter {
  push(chunk: Buffer): string[];
  /** The text after the last newline, or null if there is none. */
  rest(): string | null;
}

export function createLineCutter(max: number): LineCutter {
  let parts: Buffer[] = [];
  let size = 0;
  let cut = false;
  const add = (piece: Buffer) => {
    const room = max - size;
    cut ||= piece.length > room;
    // Copied, because the reader reuses the buffer.
    if (room > 0) parts.push(Buffer.from(piece.subarray(0, room)));
    size += Math.min(piece.length, room);
  };
  const take = () => {
    const line = Buffer.concat(parts).toString('utf8') + (cut ? CUT_SIGN : '');
    parts = [];
    size = 0;
    cut = false;
    return line;
  };
  return {
    push(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      add(chunk.subarray(from));
      return lines;
    },
    rest: () => (size > 0 ? take() : null),
  };
}
