import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCRIPT_FIELDS } from '../../src/adapters/agent-rehearsal/script-schema.ts';
import { parseArgs } from '../../src/surfaces/cli/parse-args.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { wordsFor } from '../support/texts.ts';

/** Guides name these runs; each stands for the newest of its workflow in the folder. */
const EXAMPLE_RUN = /\b(sp|de)-hqa\b/g;
const DOCUMENTS = ['README.md', ...globSync('docs/guide/*.md').sort()];

interface Block {
  readonly info: string;
  readonly body: string;
}

interface Shown {
  readonly line: string;
  readonly exit: number;
}

function blocksOf(file: string): Block[] {
  const fences = readFileSync(file, 'utf8').matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, info = '', body = '']) => ({ info, body }));
}

/** `baton status   # exit 4`: without a remark the command must succeed. */
function commandsOf({ body }: Block): Shown[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, command = '', exit = '0'] = /^(.*?)(?:\s+# (?:exit (\d+)|[^"]*))?$/.exec(line) ?? [];
    return { line: command, exit: Number(exit) };
  });
}

/** A folder of its own, an empty state directory, the built `baton`, and no terminal. */
async function openFolder() {
  const { main } = await sharedBundle();
  const base = mkdtempSync(path.join(tmpdir(), 'baton-docs-'));
  const folder = path.join(base, 'photos');
  mkdirSync(path.join(base, 'bin'));
  mkdirSync(folder);
  const shim = path.join(base, 'bin', 'baton');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(shim, 0o755);
  const env = {
    ...process.env,
    PATH: `${path.join(base, 'bin')}:${process.env.PATH}`,
    BATON_HOME: path.join(base, 'state'),
    XDG_CONFIG_HOME: path.join(base, 'config'),
    LC_ALL: 'C.UTF-8',
  };
  const run = (line: string) =>
    new Promise<{ exit: number | null; output: string }>((resolve, reject) => {
      // A session of its own has no controlling terminal, wherever the tests were started.
      const child = spawn('/bin/sh', ['-c', line], { cwd: folder, env, detached: true });
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.stderr.on('data', (chunk) => (output += chunk));
      child.stdin.end();
      child.on('error', reject);
      child.on('close', (exit) => resolve({ exit, output }));
    });
  return { folder, run, close: () => rmSync(base, { recursive: true, force: true }) };
}

async function playDocument(file: string): Promise<void> {
  const { folder, run, close } = await openFolder();
  try {
    for (const block of blocksOf(file)) {
      const [, name] = /\bfile=(\S+)/.exec(block.info) ?? [];
      if (name) writeFileSync(path.join(folder, name), block.body);
      if (block.info !== 'sh test') continue;
      for (const { line, exit } of commandsOf(block)) {
        const result = await run(await named(line, run));
        expect(result, `${file}: ${line}\n${result.output}`).toMatchObject({ exit });
      }
    }
  } finally {
    close();
  }
}

type Run = Awaited<ReturnType<typeof openFolder>>['run'];

async function named(line: string, run: Run): Promise<string> {
  if (line.search(EXAMPLE_RUN) < 0) return line;
  const runs: { run: string }[] = JSON.parse((await run('baton list --all --json')).output);
  const newest = (prefix: string) => runs.find((one) => one.run.startsWith(`${prefix}-`))?.run ?? 'none';
  return line.replaceAll(EXAMPLE_RUN, (_, prefix: string) => newest(prefix));
}

const tested = DOCUMENTS.filter((file) => blocksOf(file).some(({ info }) => info === 'sh test'));

test('the README and all guides but the generated one have commands that are run', () => {
  expect(DOCUMENTS.filter((file) => !tested.includes(file) && !file.endsWith('performance.md'))).toEqual([]);
});

test.each(tested)('the commands %s shows end with the exit codes it says', playDocument);

const shown = DOCUMENTS.flatMap((file) =>
  blocksOf(file)
    .filter(({ info }) => /^sh\b/.test(info))
    .flatMap((block) => commandsOf(block).map((command) => ({ file, ...command })))
    .filter(({ line }) => /^baton\b/.test(line)),
);

describe('every command shown anywhere', () => {
  test.each(shown)('$file: $line', async ({ line, exit }) => {
    const split = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${line.replace(/^baton/, '')}`], {
      encoding: 'utf8',
    });
    const argv = split.stdout.split('\0').slice(0, -1);
    if (exit !== 2) expect(parseArgs(argv, wordsFor('en'))).toMatchObject({ kind: expect.any(String) });
  });
});

test('the guide to scripts names every field a script may have', () => {
  const guide = readFileSync('docs/guide/scripts.md', 'utf8');
  const fields = [
    ...SCRIPT_FIELDS.attempt,
    'attempts',
    ...SCRIPT_FIELDS.edit,
    ...SCRIPT_FIELDS.usage,
    'else',
  ];
  expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(guide))).toEqual([]);
});

test('links between documents lead to files that exist', () => {
  const files = ['README.md', 'ARCHITECTURE.md', ...globSync('docs/{guide,errors,adr}/*.md')];
  const links = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = '']) =>
      path.normalize(path.join(path.dirname(file), to)),
    ),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((to) => globSync(to).length === 0)).toEqual([]);
});
