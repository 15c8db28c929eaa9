import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { CallOutcome } from '../contract/outcome.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { cleanText, cleanValue } from '../engine/clean-text.ts';
import { cutText } from '../engine/cut-text.ts';
import { InvariantError } from '../engine/errors.ts';
import { lastFenced } from '../engine/last-fenced.ts';
import { parseJson } from '../engine/parse-json.ts';
import type { BaseState } from '../engine/workflow.ts';
import type { Job } from './job.ts';

/** The content of a worker's result channels. */
export interface WorkerOutput {
  readonly structured: readonly unknown[];
  readonly text: string;
  readonly result_file: string;
}

export type Reading =
  | { readonly kind: 'valid'; readonly outcome: Extract<CallOutcome, { kind: 'ok' }>; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: string[]; readonly text: string }
  | { readonly kind: 'silent' };

const FILE_LIMIT = 4_000_000;

/**
 * The result of a call, from the first channel whose value passes schema and semantic check. The channels are
 * structured output, the result file, and the last fenced JSON block. Text alone, or a value that fails, is invalid. No
 * output at all is silent.
 */
export async function readResult(job: Job, said: WorkerOutput): Promise<Reading> {
  const text = cleanText(said.text);
  const candidates: unknown[] = [];
  let problems: string[] = [];
  // A later channel is read only if the earlier ones gave no valid value.
  for (const channel of [() => said.structured, () => fromFile(said.result_file), () => fromFence(text)]) {
    for (const given of await channel()) {
      const candidate = cleanValue(given);
      candidates.push(candidate);
      const judged = await withLocations(job, judge(job, candidate));
      if (judged.ok) return valid(job, judged.value);
      if (problems.length === 0) problems = judged.problems;
    }
  }
  if (candidates.length > 0) return { kind: 'invalid', problems, text: text || canonicalJson(candidates[0]) };
  if (text.trim() === '') return { kind: 'silent' };
  return { kind: 'invalid', problems: [`no JSON value was found in the reply: ${quoted(text)}`], text };
}

const QUOTED = 160;

/**
 * The beginning of a reply, on one line. A model that refuses gives the reason in its first words, and no other message
 * contains it.
 */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > QUOTED ? `${cutText(line, QUOTED)} …` : line);
}

function valid({ deps }: Job, result: unknown): Reading {
  const text = canonicalJson(result);
  return { kind: 'valid', outcome: { kind: 'ok', result, artefact: deps.hash(text), line: null }, text };
}

type Judged = { ok: true; value: unknown } | { ok: false; problems: string[] };

/**
 * A cited location that is not in the tree makes the result invalid, and the worker gets the problem. No result with
 * such evidence is accepted.
 */
async function withLocations({ role, ctx }: Job, judged: Judged): Promise<Judged> {
  const cited = judged.ok ? (role.cites?.(judged.value as never) ?? []) : [];
  if (cited.length === 0) return judged;
  const paths = [...new Set(cited.map(({ file }) => file))];
  const query = { what: 'lines', input: { paths } };
  const { lines } = (await ctx.tree.query(query, neverStored)) as { lines: Record<string, number | null> };
  const problems = cited
    .filter(({ file, line }) => line > (lines[file] ?? 0))
    .map(({ file, line }) => `${file}:${line} is not in the tree; cite a place that exists.`);
  return problems.length === 0 ? judged : { ok: false, problems: [...new Set(problems)].slice(0, 10) };
}

function neverStored(): Promise<never> {
  throw new InvariantError('looking at lines keeps nothing');
}

function judge({ role, ctx, call }: Job, value: unknown): Judged {
  const parsed = role.result.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues
      .slice(0, 10)
      .map((i) => `${i.path.join('.') || 'value'}: ${i.message}`);
    return { ok: false, problems };
  }
  const problems = role.check
    ? [...role.check(parsed.data as never, ctx.run.state as unknown as BaseState, call)]
    : [];
  return problems.length === 0 ? { ok: true, value: parsed.data } : { ok: false, problems };
}

/** Opening a pipe would block forever, and a link could lead to a file that the worker itself may not read. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function fromFile(file: string): Promise<unknown[]> {
  const text = await readPlain(file).catch(() => ''); // no file: the worker used another channel, or none
  return text.trim() === '' ? [] : [parseJson(text) ?? text];
}

async function readPlain(file: string): Promise<string> {
  await using handle = await open(file, AS_IT_IS);
  const found = await handle.stat();
  return found.isFile() && found.size <= FILE_LIMIT ? await handle.readFile('utf8') : '';
}

function fromFence(text: string): unknown[] {
  const last = lastFenced(text);
  const value = parseJson(last ?? text);
  return value === undefined || (last === undefined && typeof value !== 'object') ? [] : [value];
}
