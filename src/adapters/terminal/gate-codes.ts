import { randomInt, timingSafeEqual } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';

/** Letters that do not look like another letter or a digit. */
const LETTERS = 'ABCDEFGHJKMNPRSTWXYZ';
const LENGTH = 6;
const TRIES = 3;
const ANSWER_MS = 2_000;
const POLL_MS = 50;
const LONGEST_REQUEST = 4_096;

/** How the process that drives a run judges an answer given elsewhere. `not_shown`: it does not show such a gate. */
export type CodeVerdict = 'ok' | 'wrong' | 'locked' | 'needed' | 'not_shown';

export interface Question {
  readonly run: string;
  /** Null: any gate of the run that is shown. */
  readonly gate: string | null;
  readonly code: string | null;
}

/** Codes of the gates that this terminal shows. They exist in the memory of this process only. */
export interface GateCodes {
  /** The code for a gate with this digest. Another digest gets another code. */
  show(run: string, gate: string, digest: string): string;
  hide(gate: string): void;
  close(): void;
}

/**
 * Opens the socket where other processes ask whether a code is right. It is in the state directory, which has mode
 * 0700.
 */
export function openGateCodes(home: string, pid: number): GateCodes {
  const codes = new Map<string, Shown>();
  const { folder, file } = locationOf(home, pid);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  const server = createServer((socket) => serve(socket, (question) => judge(codes, question)));
  const short = shortPath(folder, file);
  // If the socket fails, other processes treat this one as if it had no terminal. Its own gates still work.
  server.on('error', () => undefined);
  listen(server, short.path);
  return {
    show: (run, gate, digest) => {
      const known = codes.get(gate);
      const shown = known?.digest === digest ? known : { run, digest, code: newCode(), tries: 0 };
      codes.set(gate, shown);
      return shown.code;
    },
    hide: (gate) => void codes.delete(gate),
    close: () => {
      server.close();
      rmSync(file, { force: true });
      short.close();
    },
  };
}

function listen(server: Server, file: string): void {
  server.listen(file);
  server.unref();
}

interface Shown {
  readonly run: string;
  readonly digest: string;
  readonly code: string;
  tries: number;
}

function newCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

function judge(codes: ReadonlyMap<string, Shown>, { run, gate, code }: Question): CodeVerdict {
  const shown = gate === null ? [...codes.values()].find((one) => one.run === run) : codes.get(gate);
  if (!shown) return 'not_shown';
  if (shown.tries >= TRIES) return 'locked';
  if (code === null) return 'needed';
  const [typed, right] = [Buffer.from(code.trim().toUpperCase()), Buffer.from(shown.code)];
  if (typed.length === right.length && timingSafeEqual(typed, right)) return 'ok';
  shown.tries += 1;
  return shown.tries >= TRIES ? 'locked' : 'wrong';
}

function serve(socket: Socket, answer: (question: Question) => CodeVerdict): void {
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.length > LONGEST_REQUEST) socket.destroy();
    else if (text.includes('\n')) socket.end(`${answer(parsed(text))}\n`);
  });
}

function parsed(text: string): Question {
  try {
    const { run, gate, code } = JSON.parse(text) as Question;
    return { run: String(run), gate: gate ?? null, code: typeof code === 'string' ? code : null };
  } catch {
    return { run: '', gate: '', code: null };
  }
}

/**
 * Asks the process that drives a run. `absent`: it has no terminal to show a code in. `silent`: it does not answer. It
 * waits for a gate that is stored but not yet on the screen.
 */
export async function askDriver(
  home: string,
  pid: number,
  question: Question,
): Promise<CodeVerdict | 'absent' | 'silent'> {
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    const said = await askOnce(home, pid, question);
    if (said !== 'not_shown' || question.gate === null || performance.now() > until) return said;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function askOnce(home: string, pid: number, question: Question): Promise<CodeVerdict | 'absent' | 'silent'> {
  const { folder, file } = locationOf(home, pid);
  return new Promise((resolve) => {
    let short: ShortPath;
    try {
      short = shortPath(folder, file);
    } catch {
      return resolve('absent'); // no process here ever showed a code
    }
    const socket = connect(short.path);
    let text = '';
    const finish = (said: CodeVerdict | 'absent' | 'silent') => {
      clearTimeout(late);
      socket.destroy();
      short.close();
      resolve(said);
    };
    const late = setTimeout(() => finish('silent'), ANSWER_MS);
    socket.on('connect', () => socket.write(`${JSON.stringify(question)}\n`));
    socket.on('error', () => finish('absent'));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => finish(text.trim() === '' ? 'silent' : (text.trim() as CodeVerdict)));
  });
}

function locationOf(home: string, pid: number): { readonly folder: string; readonly file: string } {
  const folder = path.join(home, 'drivers');
  return { folder, file: path.join(folder, `${pid}.sock`) };
}

interface ShortPath {
  readonly path: string;
  close(): void;
}

/**
 * A short path for the socket. A socket's path has at most 107 bytes. On Linux, an open folder gives every file a short
 * path.
 */
function shortPath(folder: string, file: string): ShortPath {
  if (process.platform !== 'linux') return { path: file, close: () => undefined };
  const fd = openSync(folder, 'r');
  let open = true;
  return {
    path: `/proc/self/fd/${fd}/${path.basename(file)}`,
    close: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}
