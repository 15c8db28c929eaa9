import type { SessionUpdate, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import type { StreamRecord } from '../agent-process/record.ts';
import { pathIn, shortLine } from '../agent-process/short-line.ts';

/** What is known of one tool call; later updates add to it. */
type Tool = Pick<ToolCallUpdate, 'kind' | 'title' | 'locations' | 'content' | 'rawInput'>;

/** Turns what an agent tells of its turn into records of ours. */
export interface Hearing {
  hear(update: SessionUpdate): StreamRecord[];
  /** The text that is not told yet. */
  rest(): StreamRecord[];
  /** A tool call with all that was said of it before. */
  tool(update: ToolCallUpdate): Tool;
  tell(update: ToolCallUpdate): string;
  /** What the session has cost so far, where the agent says it in dollars. */
  money(): number | null;
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
  let money: number | null = null;
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
    money: () => money,
    hear: (update) => {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          if (update.content.type === 'text') spoken += update.content.text;
          return [];
        case 'tool_call':
        case 'tool_call_update':
          return hearTool(update);
        case 'usage_update':
          if (update.cost?.currency !== 'USD') return [];
          money = update.cost.amount;
          return [{ type: 'usage', usage: { money_usd: money, tokens: null } }];
        default:
          return [];
      }
    },
  };
}

/** Files a tool call names. */
export function placesOf({ locations, content }: Tool): string[] {
  const diffs = (content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return [...(locations ?? []).map(({ path }) => path), ...diffs];
}

function wordsOf(tool: Tool, cwd: string): string {
  const title = (tool.title ?? 'works').replaceAll('`', '');
  const does = tool.kind ? DOES[tool.kind] : undefined;
  const what = tool.kind === 'execute' ? (commandOf(tool) ?? title) : placesOf(tool)[0];
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
