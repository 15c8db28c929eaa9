import type { Program, ScriptedCall } from './script.ts';
import type { Read, ToolCall } from './wire.ts';

/** How each program calls its tools. */
const TOOLS: Readonly<Record<Program, { write: Writer; shell: (command: string) => ToolCall }>> = {
  claude: {
    write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
    shell: (command) => ({ name: 'Bash', input: { command, description: 'as scripted' } }),
  },
  codex: {
    write: (path, content) => ({ name: 'exec_command', input: { cmd: patch(path, content) } }),
    shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  },
  gemini: {
    write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'as scripted' } }),
  },
  opencode: {
    write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'as scripted' } }),
  },
  unknown: {
    write: (path, content) => ({ name: 'write', input: { path, content } }),
    shell: (command) => ({ name: 'shell', input: { command } }),
  },
};

type Writer = (path: string, content: string) => ToolCall;

/** Codex writes by a patch given to its shell tool, and shows it as a file change. */
function patch(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  const added = lines.map((line) => `+${line}`).join('\n');
  return `apply_patch <<'END_OF_PATCH'\n*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\nEND_OF_PATCH`;
}

/** A known mark of each program: the name it goes by on the wire, else a tool that only it has. */
const FINGERPRINTS: readonly (readonly [Program, RegExp, string])[] = [
  ['claude', /claude/i, 'Bash'],
  ['codex', /codex/i, 'exec_command'],
  ['gemini', /gemini/i, 'write_file'],
  ['opencode', /opencode/i, 'bash'],
];

export function findProgram(agent: string, tools: readonly string[]): Program {
  const fingerprint =
    FINGERPRINTS.find(([, name]) => name.test(agent)) ??
    FINGERPRINTS.find(([, , tool]) => tools.includes(tool));
  return fingerprint?.[0] ?? 'unknown';
}

const STRUCTURED = 'StructuredOutput';

/** A wish in the words of the program: a call of its tool, or text where it has no tool for it. */
export function translate(
  toolCall: ScriptedCall,
  program: Program,
  { tools, wants_json }: Read,
): ToolCall | string {
  if ('write' in toolCall) return TOOLS[program].write(toolCall.write.path, toolCall.write.content);
  if ('shell' in toolCall) return TOOLS[program].shell(toolCall.shell.command);
  const { value } = toolCall.structured;
  if (tools.includes(STRUCTURED)) return { name: STRUCTURED, input: value };
  return wants_json ? JSON.stringify(value) : fenced(value);
}

/** A result as Baton reads it from a reply. */
function fenced(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
