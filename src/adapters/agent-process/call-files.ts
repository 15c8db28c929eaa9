import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path, { join } from 'node:path';
import { leftInRoom } from '../../engine/left-in-room.ts';
import { writeWhole } from '../../files/whole-file.ts';
import type { AgentCall } from '../../ports/agent.ts';
import { parseLine } from './lines.ts';
import type { Program, Session, Spoken } from './program.ts';

const LONGEST_STREAM = 64 * 1024 * 1024;

/**
 * The files of one attempt. `key` names the attempt and the agent that started here. `stopped` exists if we stopped it.
 */
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
 * The events of a finished stream of this key; null if it is not finished. If we stopped the program, its stream does
 * not count as finished.
 */
export async function finishedStream(program: Program, call: AgentCall): Promise<Spoken[] | null> {
  const { key, stdout, stopped } = callFiles(call.dir);
  const [began, by = program.name] = (await readPlain(key))?.split('\n') ?? [];
  // A person may have switched to another agent. That agent's stream does not count here.
  if (existsSync(stopped) || began !== call.key || by !== program.name) return null;
  const stream = await readPlain(stdout);
  if (stream === null) return null;
  const reader = program.reader(call, await earlierSession(program, call, 'last'));
  const said = stream.split('\n').flatMap((line) => reader.read(line));
  if (!said.some(({ type }) => type === 'closing')) return null;
  return [...said, ...(reader.afterwards?.(await lastWords(call)) ?? [])];
}

/** Without a sandbox a worker can replace a file by a link, or by a pipe, which would block the read. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function openPlain(file: string): Promise<FileHandle | null> {
  const handle = await open(file, AS_IT_IS).catch(() => null);
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** The text of a file; null if it is missing, too long, or not a regular file. */
async function readPlain(file: string): Promise<string | null> {
  await using handle = await openPlain(file);
  if (!handle || (await handle.stat()).size > LONGEST_STREAM) return null;
  return handle.readFile('utf8');
}

/** Replaces a file completely or not at all. */
function putPlain(file: string, text: string): Promise<void> {
  return writeWhole(file, text, { part: `${file}.new`, synced: 'nothing' });
}

const WORDS_BYTES = 2000;

/** The end of a worker's stderr. */
export async function lastWords(call: AgentCall): Promise<string> {
  await using handle = await openPlain(callFiles(call.dir).stderr);
  if (!handle) return '';
  const { size } = await handle.stat();
  const length = Math.min(size, WORDS_BYTES);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8').trim();
}

/** Programs that were still running in the attempt's sandbox when its command ended. */
export async function leftBy(call: AgentCall): Promise<string[]> {
  return leftInRoom((await readPlain(`${callFiles(call.dir).stdout}.left`)) ?? '');
}

/** True if an earlier try of this attempt may have started a process. */
export function wasTried(call: AgentCall): boolean {
  return existsSync(callFiles(call.dir).key);
}

/** Removes the files of an unfinished try. From here on a process of this attempt may exist. */
export async function prepareFiles({ name }: Pick<Program, 'name'>, call: AgentCall): Promise<CallFiles> {
  const files = callFiles(call.dir);
  await mkdir(call.dir, { recursive: true, mode: 0o700 });
  await mkdir(path.dirname(call.result_file), { recursive: true, mode: 0o700 });
  const stale = [files.stdout, `${files.stdout}.left`, files.stderr, files.stopped, call.result_file];
  await Promise.all(stale.map((file) => rm(file, { force: true, recursive: true })));
  await putPlain(files.key, `${call.key}\n${name}`);
  return files;
}

/** A stored session, with its agent and the tokens that the last start used on top of `counted`. */
interface StoredSession extends Session {
  readonly agent: string;
  readonly tokens: number;
}

/**
 * The session that the program may resume: only for a read-only role, in the same folder and with the same agent. A
 * writing role starts anew, because an earlier session does not match a tree that was reset. `last` gives `counted` as the
 * last start found it. `next` adds the tokens of that start.
 */
export async function earlierSession(
  program: Program,
  call: AgentCall,
  start: 'last' | 'next',
): Promise<Session | null> {
  if (!program.capabilities.resume || call.profile.kind !== 'read_only') return null;
  const kept = await readSession(call);
  if (kept?.cwd !== call.cwd || kept.agent !== program.name) return null;
  const { tokens, agent: _, ...session } = kept;
  return { ...session, counted: start === 'last' ? session.counted : session.counted + tokens };
}

/** Stores the tokens that were reported to the caller. A session resumed later must not report them again. */
export async function countAsReported(call: AgentCall, tokens: number): Promise<void> {
  const kept = await readSession(call);
  if (kept && tokens > 0) await putSession(call, { ...kept, tokens });
}

export function storeSession(
  { name }: Pick<Program, 'name'>,
  call: AgentCall,
  session: Session,
): Promise<void> {
  return putSession(call, { tokens: 0, ...session, agent: name });
}

function putSession(call: AgentCall, kept: StoredSession): Promise<void> {
  return putPlain(callFiles(call.dir).session, JSON.stringify(kept));
}

/** Null if the content is not valid, because without a sandbox a worker can write the file too. */
async function readSession(call: AgentCall): Promise<StoredSession | null> {
  const text = await readPlain(callFiles(call.dir).session);
  const { id, agent, cwd, counted, tokens } = parseLine<Partial<StoredSession>>(text ?? '') ?? {};
  if (typeof id !== 'string' || typeof cwd !== 'string' || typeof agent !== 'string') return null;
  return isCount(counted) && isCount(tokens) ? { id, agent, cwd, counted, tokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
