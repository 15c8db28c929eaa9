import type { Fault, Tokens } from './script.ts';

/** A text of the person in a request, and how many tool results stand behind it. */
export interface Prompt {
  readonly text: string;
  readonly results: number;
}

/** A request, read from whatever shape its provider gives it. */
export interface Read {
  /** Oldest first. */
  readonly prompts: readonly Prompt[];
  readonly system: string;
  readonly tools: readonly string[];
  readonly model: string;
  readonly stream: boolean;
  /** The reply's text must be JSON of a schema. */
  readonly wants_json: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Tokens;
  readonly model: string;
  /** Makes an id that no other reply of this server has. */
  readonly id: (prefix: string) => string;
}

interface Failure {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** One provider's language. All is data: how a reply is sent, cut or delayed is the server's matter. */
export interface Wire {
  read(body: Body, path: string): Read;
  /** The reply as pieces of a stream, `event` only where the provider names them. */
  frames(reply: Reply): readonly Frame[];
  /** The reply in one piece. */
  whole(reply: Reply): unknown;
  failure(fault: Extract<Fault, { kind: 'status' }>): Failure;
}

export interface Frame {
  readonly event?: string;
  readonly data: unknown;
}

/** Any JSON object from outside; every reader takes only what it finds. */
export type Body = { readonly [key: string]: unknown };

/** The objects of a list; nothing of anything else. */
export function objects(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a message, whether it is one string or a list of parts. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return objects(content)
    .map((part) => text(part.text))
    .filter((part) => part !== '');
}

export function textOf(content: unknown): string {
  return textsOf(content).join('\n');
}

/** One message of a conversation, as far as it counts: texts of the person, and results of tools. */
export interface WorkerOutput {
  readonly texts: readonly string[];
  readonly results: number;
}

/** Every text begins a count of its own. Each part is one: a program puts its own words beside those of the person. */
export function collectPrompts(messages: readonly WorkerOutput[]): readonly Prompt[] {
  const prompts: { text: string; results: number }[] = [];
  for (const { texts, results } of messages) {
    for (const earlier of prompts) earlier.results += results;
    for (const said of texts) prompts.push({ text: said, results: 0 });
  }
  return prompts;
}

/** Text in pieces, as a model gives it. */
export function pieces(value: string): readonly string[] {
  return value.match(/[\s\S]{1,40}/g) ?? [];
}

export const DEFAULT_USAGE: Tokens = { input: 1000, output: 50 };
