import { entryOf } from '../agent-process/json-line.ts';
import { pathIn, shortLine } from '../agent-process/short-line.ts';

type Input = Readonly<Record<string, unknown>>;

const word = (value: unknown) => (typeof value === 'string' ? value : '');

/** What a use of a tool is called where people read along. `file` puts a path as they know it. */
const TOOLS: Readonly<Record<string, (input: Input, file: (value: unknown) => string) => string>> = {
  Bash: ({ command }) => `runs ${word(command)}`,
  Read: ({ file_path }, file) => `reads ${file(file_path)}`,
  Write: ({ file_path }, file) => `edits ${file(file_path)}`,
  Edit: ({ file_path }, file) => `edits ${file(file_path)}`,
  NotebookEdit: ({ notebook_path }, file) => `edits ${file(notebook_path)}`,
  Glob: ({ pattern }) => `looks for ${word(pattern)}`,
  Grep: ({ pattern }) => `searches for ${word(pattern)}`,
  StructuredOutput: () => 'gives its result',
};

export function toolWords(name: string, input: Input, tree: string): string {
  const say = entryOf(TOOLS, name);
  return shortLine(say ? say(input, (value) => pathIn(tree, word(value))) : `uses ${name}`);
}
