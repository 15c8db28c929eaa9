import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCall } from '../../ports/agent.ts';
import type { Part, StreamRecord } from './part.ts';

const LONGEST_STREAM = 64 * 1024 * 1024;
const TYPES = new Set(['progress', 'denied', 'text', 'result', 'usage', 'closing']);

/** The files of one attempt. */
interface StreamFiles {
  readonly part: string;
  readonly stdout: string;
  readonly stderr: string;
}

function streamFiles(dir: string): StreamFiles {
  return { part: join(dir, 'part.json'), stdout: join(dir, 'stream.jsonl'), stderr: join(dir, 'stderr.txt') };
}

/** One record of the stream, or null for a line that is none (a worker killed in the middle of one). */
export function parseRecord(line: string): StreamRecord | null {
  try {
    const record = JSON.parse(line) as StreamRecord | null;
    return record !== null && TYPES.has(record.type) ? record : null;
  } catch {
    return null;
  }
}

/** The records of a finished stream of this key, the closing one last; null when it is not finished. */
export async function finishedStream(call: AgentCall): Promise<StreamRecord[] | null> {
  const { stdout } = streamFiles(call.dir);
  const size = await stat(stdout).then(
    (found) => found.size,
    () => null,
  );
  if (size === null || size > LONGEST_STREAM) return null;
  const text = await readFile(stdout, 'utf8');
  const records = text.split('\n').flatMap((line) => parseRecord(line) ?? []);
  const last = records.at(-1);
  return last?.type === 'closing' && last.key === call.key ? records : null;
}

/** True when an earlier try of this attempt may have started a process. */
export function wasTried(call: AgentCall): boolean {
  return existsSync(streamFiles(call.dir).part);
}

/** Removes what an unfinished try left and writes down what the worker is to play. */
export async function prepareStream(call: AgentCall, part: Part): Promise<StreamFiles> {
  const files = streamFiles(call.dir);
  await mkdir(call.dir, { recursive: true });
  await Promise.all([files.stdout, files.stderr, call.result_file].map((file) => rm(file, { force: true })));
  await writeFile(files.part, JSON.stringify(part));
  return files;
}
