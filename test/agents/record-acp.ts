import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { CASES, STARTED } from './record-cases.ts';
import { keep, killStage, PROMPT, type Stage, scrub, scrubLines, survey, withStage } from './record-stage.ts';

/** Agents of the Agent Client Protocol, by the folder their conversations are kept in. */
export const ACP_AGENTS = {
  'gemini-acp': { program: 'gemini', argv: ['--acp', '-m', 'gemini-2.5-flash'] },
  'claude-acp': { program: 'claude-acp', argv: [] },
  'opencode-acp': { program: 'opencode', argv: ['acp'] },
} as const;

/** What the client does beside answering; the steps are those of the case of the same name unless named. */
const ACP_CASES: Readonly<Record<string, { part: string; deny?: true; cancel?: 'shell' | 'asked' }>> = {
  success: { part: 'success' },
  shell: { part: 'shell' },
  denied: { part: 'success', deny: true },
  'cancel-shell': { part: 'interrupt-shell', cancel: 'shell' },
  'cancel-hang': { part: 'interrupt-hang', cancel: 'asked' },
  'status-429': { part: 'status-429' },
  'status-529': { part: 'status-529' },
};

export const ACP_CASE_NAMES = Object.keys(ACP_CASES);
const PATIENCE_MS = 60_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly options?: readonly { readonly optionId: string; readonly kind: string }[] };
  readonly result?: { readonly sessionId?: string };
}

/** Talks to an agent through one case and keeps both sides of the conversation, one message a line. */
export async function recordAcp(agent: keyof typeof ACP_AGENTS, name: string): Promise<void> {
  const { program, argv } = ACP_AGENTS[agent];
  const played = ACP_CASES[name];
  const part = played && CASES[played.part];
  if (!part) throw new Error(`there is no case ${name}`);
  await withStage(program, part.steps, async (stage) => {
    // Without this opencode asks for nothing and does everything.
    const env = agent === 'opencode-acp' ? { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask"}' } : {};
    const all = { ...stage.env, ...env };
    const child = spawn(stage.file, argv, { cwd: stage.tree, env: all, stdio: 'pipe', detached: true });
    const started = Date.now();
    const stderr = buffer(child.stderr);
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const talk = openTalk(child.stdin, child.stdout, played.deny ? 'reject_once' : 'allow_once');
    const turn = playTurn(talk, stage, { name, cancel: played.cancel });
    const cancelled = await Promise.race([turn, wait(PATIENCE_MS, null, { ref: false })]);
    const ended = Date.now();
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    const patience = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), 5000);
    const [exit, signal] = await exited;
    clearTimeout(patience);
    const ending = {
      what: `${part.what}${played.deny ? ', denied' : ''}${played.cancel ? ', cancelled' : ''}; then SIGTERM`,
      argv: [program, ...argv],
      env,
      exit,
      signal,
      seconds: Math.round((ended - started) / 100) / 10,
      ended_after_ms: cancelled === null ? null : ended - cancelled,
      left: await killStage(stage),
      ...(await survey(stage, 0)),
      stderr: scrubLines(String(await stderr), stage),
    };
    await keep(agent, name, { ending, lines: talk.lines.map((line) => scrub(line, stage)) });
  });
}

/** A client that answers every request at once: permission by kind, all else with "no such method". */
function openTalk(stdin: Writable, stdout: Readable, answer: string) {
  const lines: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  let ids = 0;
  const send = (message: object) => {
    lines.push(JSON.stringify({ from: 'client', ...message }));
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    lines.push(JSON.stringify({ from: 'agent', ...message, jsonrpc: undefined }));
    const { id, method, params } = message;
    if (id === undefined) return;
    if (method === undefined) return waiting.get(id)?.(message);
    const option = params?.options?.find(({ kind }) => kind === answer);
    if (!option) return send({ id, error: { code: -32601, message: 'no such method' } });
    return send({ id, result: { outcome: { outcome: 'selected', optionId: option.optionId } } });
  });
  return {
    lines,
    notify: (method: string, params: object) => send({ method, params }),
    call(method: string, params: object): Promise<Message> {
      const id = ++ids;
      const { promise, resolve } = Promise.withResolvers<Message>();
      waiting.set(id, resolve);
      send({ id, method, params });
      return promise;
    },
  };
}

/** One prompt to its end; gives the time it was cancelled at, or null. */
async function playTurn(
  talk: ReturnType<typeof openTalk>,
  { tree, server }: Stage,
  { name, cancel }: { name: string; cancel: 'shell' | 'asked' | undefined },
): Promise<number | null> {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: 'recorder', version: '0' };
  await talk.call('initialize', { protocolVersion: 1, clientInfo, clientCapabilities });
  const { result } = await talk.call('session/new', { cwd: tree, mcpServers: [] });
  const sessionId = result?.sessionId ?? '';
  const turn = talk.call('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: `${PROMPT} "${name}".` }],
  });
  if (!cancel) return turn.then(() => null);
  const isDue = () => (cancel === 'shell' ? existsSync(path.join(tree, STARTED)) : server.turns().length > 0);
  while (!isDue()) await wait(50);
  await wait(500);
  const at = Date.now();
  talk.notify('session/cancel', { sessionId });
  return turn.then(() => at);
}
