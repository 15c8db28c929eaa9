import { defineConfig } from 'tsdown';

/**
 * What is always loaded together is one file, with all it needs that stands in none before it: each file costs about a
 * millisecond to find, read and link. `baton --version` loads the first, `status` the first three, `answer` all.
 */
const TOGETHER: Readonly<Record<string, RegExp>> = {
  errors: /src\/engine\/errors\.ts$/,
  command:
    /src\/(texts|runtime\/translate|surfaces\/cli\/(dispatch|parse-args|command-table|commands\/status|status-block|stop-blocks|readable))\.ts$/,
  store: /src\/(compose|runtime\/service)\.ts$/,
  read: /src\/runtime\/read\.ts$/,
  schemas: /node_modules\/zod\/|src\/contract\/(brief|conventions|criterion-twins|file-path|step)\.ts$/,
  common: /src\/(workflows\/kit\/|engine\/(refuse-input|slug|paths|brief|detect-checks)\.ts$)/,
  spec: /src\/workflows\/spec\/workflow\.ts$/,
  answer:
    /src\/(surfaces\/cli\/commands\/answer|prove-person|runtime\/(answer-gate|drive|breakers)|adapters\/workspace\/checkout\/open)\.ts$/,
};
const groups = Object.entries(TOGETHER).map(([name, test], n, all) => ({
  name,
  test,
  priority: all.length - n,
}));

/**
 * Plain ASCII, so that V8 keeps and compares one byte for each character of a file. Escapes mean the same in strings
 * and patterns; where a backslash stands before such a character they would not, and none may.
 */
const ascii = {
  name: 'ascii',
  renderChunk(code: string, { fileName }: { fileName: string }): { code: string } {
    if (/\\[\u0080-\uffff]/.test(code))
      throw new Error(`${fileName}: a backslash before a character beyond ASCII`);
    const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return { code: code.replaceAll(/[\u0080-\uffff]/g, escaped) };
  },
};

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    'rehearsal-worker': 'src/adapters/agent-rehearsal/worker.ts',
    'acp-worker': 'src/adapters/agent-acp/worker.ts',
    'command-worker': 'src/adapters/agent-command/worker.ts',
  },
  // Not modules: Node's loader for those costs an answer 14 ms more, and `import()` of a part a file of its own.
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  dts: false,
  // Read when they are used: see src/texts.ts.
  copy: ['src/messages', 'src/prompts'],
  minify: false,
  plugins: [ascii],
  // Measured on a small CLI: everything bundled starts in 85 ms, dependencies left outside in 115 ms.
  deps: { alwaysBundle: /./, onlyBundle: false },
  outExtensions: () => ({ js: '.cjs' }),
  // A module loaded on demand may also be part of a chunk that is always loaded; the groups above decide that.
  inputOptions: { checks: { ineffectiveDynamicImport: false } },
  outputOptions: { codeSplitting: { groups }, strict: true },
});
