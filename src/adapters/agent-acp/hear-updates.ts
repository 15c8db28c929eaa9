import type { SessionUpdate, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import type { Usage } from '../../ports/agent.ts';
import type { StreamRecord } from '../agent-process/record.ts';
import { pathIn, shortLine } from '../agent-process/short-line.ts';

/** What is known about one tool call. Later updates add to it. */
type Tool = Pick<ToolCallUpdate, 'kind' | 'title' | 'locations' | 'content' | 'rawInput'>;

/** Converts the updates of an agent's turn to our records. */
export interface Hearing {
  hear(update: SessionUpdate): StreamRecord[];
  /** The text that has not been reported yet. */
  rest(): StreamRecord[];
  /** A tool call, merged with its earlier updates. */
  tool(update: ToolCallUpdate): Tool;
  tell(update: ToolCallUpdate): string;
  /** The whole usage, with the tokens reported at the end of the turn. */
  used(tokens: number | null): StreamRecord;
}

const DOES: Readonly<Partial<Record<ToolKind, string>>> = {
  read: 'reads',
  edit: 'edits',
  delete: 'deletes',
  move: 'moves',
  search: 'searches',
  execute: 'runs',
  fetch: 'fetches',
};

export function createHearing(cwd: string): Hearing {
  const tools = new Map<string, Tool>();
  const told = new Map<string, string>();
  let spoken = '';
  // Money and tokens come at different times and in any order. Every record contains both.
  let usage: Usage = { money_usd: null, tokens: null };
  const use = (more: Partial<Usage>): StreamRecord => {
    usage = { ...usage, ...more };
    return { type: 'usage', usage };
  };
  const rest = (): StreamRecord[] => {
    const text = spoken;
    spoken = '';
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  };
  const tool = (update: ToolCallUpdate): Tool => {
    const known = { ...tools.get(update.toolCallId), ...withoutNulls(update) };
    tools.set(update.toolCallId, known);
    return known;
  };
  const tell = (update: ToolCallUpdate) => wordsOf(tool(update), cwd);
  const hearTool = (update: ToolCallUpdate): StreamRecord[] => {
    const line = tell(update);
    if (told.get(update.toolCallId) === line) return [];
    told.set(update.toolCallId, line);
    return [...rest(), { type: 'progress', line }];
  };
  return {
    tool,
    tell,
    rest,
    used: (tokens) => use({ tokens }),
    hear: (update) => {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          if (update.content.type === 'text') spoken += update.content.text;
          return [];
        case 'tool_call':
        case 'tool_call_update':
          return hearTool(update);
        case 'usage_update':
          // Some agents report a cost of 0 for a model without a price. That means unknown, not free.
          return update.cost?.currency === 'USD' && update.cost.amount > 0
            ? [use({ money_usd: update.cost.amount })]
            : [];
        default:
          return [];
      }
    },
  };
}

/** The files that a tool call names. */
export function locationsOf({ locations, content }: Tool): string[] {
  const diffs = (content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return [...(locations ?? []).map(({ path }) => path), ...diffs];
}

function wordsOf(tool: Tool, cwd: string): string {
  const title = (tool.title ?? 'works').replaceAll('`', '');
  const does = tool.kind ? DOES[tool.kind] : undefined;
  const what = tool.kind === 'execute' ? (commandOf(tool) ?? title) : locationsOf(tool)[0];
  const line = does && what ? `${does} ${pathIn(cwd, what)}` : title;
  return shortLine(line);
}

function commandOf({ rawInput }: Tool): string | null {
  const command = (rawInput as { command?: unknown } | null | undefined)?.command;
  return typeof command === 'string' ? command : null;
}

function withoutNulls(update: ToolCallUpdate): Tool {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
}
