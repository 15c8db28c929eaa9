import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import path, { join } from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import { parseLine } from './json-line.ts';
import type { Program, Session, Spoken } from './program.ts';

const LONGEST_STREAM = 64 * 1024 * 1024;

/** The files of one attempt. `key` says which attempt of which agent began here, `stopped` that we ended it. */
interface CallFiles {
  readonly key: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly session: string;
  readonly stopped: string;
}

export function callFiles(dir: string): CallFiles {
  const file = (name: string) => join(dir, name);
  return {
    key: file('key'),
    stdout: file('stream.jsonl'),
    stderr: file('stderr.txt'),
    session: file('session.json'),
    stopped: file('stopped'),
  };
}

/**
 * What a finished stream of this key says, the closing last; null when it is not finished. What a program says after
 * we told it to stop is no end of its own.
 */
export async function finishedStream(program: Program, call: AgentCall): Promise<Spoken[] | null> {
  const { key, stdout, stopped } = callFiles(call.dir);
  const [began, by = program.name] = (await readPlain(key))?.split('\n') ?? [];
  // A person may have had another agent go on: its words are no words of this one.
  if (existsSync(stopped) || began !== call.key || by !== program.name) return null;
  const stream = await readPlain(stdout);
  if (stream === null) return null;
  const reader = program.reader(call, await earlierSession(program, call, 'last'));
  const said = stream.split('\n').flatMap((line) => reader.read(line));
  if (!said.some(({ type }) => type === 'closing')) return null;
  return [...said, ...(reader.afterwards?.(await lastWords(call)) ?? [])];
}

/** Without a sandbox a worker can put a pipe in place of a file, which would be waited for, or a link. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function openPlain(file: string): Promise<FileHandle | null> {
  const handle = await open(file, AS_IT_IS).catch(() => null);
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** The text of a file; null where there is none, or something else, or too much. */
async function readPlain(file: string): Promise<string | null> {
  await using handle = await openPlain(file);
  if (!handle || (await handle.stat()).size > LONGEST_STREAM) return null;
  return handle.readFile('utf8');
}

/** Takes the place of whatever is there, whole or not at all. */
async function putPlain(file: string, text: string): Promise<void> {
  await rm(`${file}.new`, { force: true, recursive: true });
  await writeFile(`${file}.new`, text, { flag: 'wx' });
  await rename(`${file}.new`, file);
}

const WORDS_BYTES = 2000;

/** The end of what a worker wrote to stderr. */
export async function lastWords(call: AgentCall): Promise<string> {
  await using handle = await openPlain(callFiles(call.dir).stderr);
  if (!handle) return '';
  const { size } = await handle.stat();
  const length = Math.min(size, WORDS_BYTES);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8').trim();
}

/** True when an earlier try of this attempt may have started a process. */
export function wasTried(call: AgentCall): boolean {
  return existsSync(callFiles(call.dir).key);
}

/** Removes what an unfinished try left; from here on a process of this attempt may exist. */
export async function prepareFiles({ name }: Pick<Program, 'name'>, call: AgentCall): Promise<CallFiles> {
  const files = callFiles(call.dir);
  await mkdir(call.dir, { recursive: true, mode: 0o700 });
  await mkdir(path.dirname(call.result_file), { recursive: true, mode: 0o700 });
  const stale = [files.stdout, files.stderr, files.stopped, call.result_file];
  await Promise.all(stale.map((file) => rm(file, { force: true, recursive: true })));
  await putPlain(files.key, `${call.key}\n${name}`);
  return files;
}

/** As it is kept: whose it is, and what the start that left it used, on top of `told`. */
interface KeptSession extends Session {
  readonly agent: string;
  readonly heard: number;
}

/**
 * Where the program may be taken up: a role that only reads, in the same folder. A tree put back is another world.
 * The `last` start found the session with less told than the `next` one will.
 */
export async function earlierSession(
  program: Program,
  call: AgentCall,
  start: 'last' | 'next',
): Promise<Session | null> {
  if (!program.capabilities.resume || call.profile.kind !== 'read_only') return null;
  const kept = await readSession(call);
  if (kept?.cwd !== call.cwd || kept.agent !== program.name) return null;
  const { heard, agent: _, ...session } = kept;
  return { ...session, told: start === 'last' ? session.told : session.told + heard };
}

/** The caller counts what it was told; a session taken up later must not tell it again. */
export async function countAsTold(call: AgentCall, heard: number): Promise<void> {
  const kept = await readSession(call);
  if (kept && heard > 0) await putSession(call, { ...kept, heard });
}

export function keepSession(
  { name }: Pick<Program, 'name'>,
  call: AgentCall,
  session: Session,
): Promise<void> {
  return putSession(call, { heard: 0, ...session, agent: name });
}

function putSession(call: AgentCall, kept: KeptSession): Promise<void> {
  return putPlain(callFiles(call.dir).session, JSON.stringify(kept));
}

/** Null where the file says anything else: without a sandbox a worker can write it too. */
async function readSession(call: AgentCall): Promise<KeptSession | null> {
  const text = await readPlain(callFiles(call.dir).session);
  const { id, agent, cwd, told, heard } = parseLine<Partial<KeptSession>>(text ?? '') ?? {};
  if (typeof id !== 'string' || typeof cwd !== 'string' || typeof agent !== 'string') return null;
  return isCount(told) && isCount(heard) ? { id, agent, cwd, told, heard } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
