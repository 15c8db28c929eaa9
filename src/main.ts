import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { createDeps, findPlace, keepTrace, provePerson } from './compose.ts';
import { AdapterError } from './engine/errors.ts';
import type { CliDeps } from './surfaces/cli/deps.ts';
import { runCli } from './surfaces/cli/run-cli.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real terminal, folder and adapters, put together for the command line. */
function cliDeps(folder: string): CliDeps {
  const { stdin, stdout, stderr } = process;
  return {
    version: manifest.version,
    folder,
    env: process.env,
    stdin: { isTTY: stdin.isTTY === true, stream: () => stdin },
    stdout: {
      isTTY: stdout.isTTY === true,
      get columns() {
        return stdout.columns ?? 80;
      },
      write: (text) => void stdout.write(text),
      stream: () => stdout,
    },
    stderr: { write: (text) => void stderr.write(text) },
    now: () => Date.now(),
    openApi: async ({ create }) => {
      try {
        const place = await findPlace(folder, create);
        if (!place) return { refusal: 'no_store' };
        const { createApi } = await import('./runtime/service.ts');
        return createApi(await createDeps(place));
      } catch (error) {
        if (error instanceof AdapterError) return { refusal: 'refused', message: error.message };
        throw error;
      }
    },
    person: async () => {
      const { createProcesses } = await import('./adapters/processes/processes.ts');
      return provePerson(createProcesses(), folder);
    },
    validateScore: async (text, file) => {
      const { freezeScore, parseScore } = await import('./adapters/agent-rehearsal/score.ts');
      const { readFileSync } = await import('node:fs');
      const parsed = parseScore(text, { file, readFile: (name) => readFileSync(name, 'utf8') });
      if (parsed.ok) return { ok: true, frozen: freezeScore(parsed.score) };
      return {
        ok: false,
        errors: parsed.errors.map((e) => `${file}:${e.line}:${e.column} ${e.field}: ${e.message}`),
      };
    },
    readFile: (file) => readFile(path.resolve(folder, file), 'utf8').catch(() => null),
    writeConfig: async (text) => {
      const written = await writeFile(path.join(folder, 'baton.yaml'), text, { flag: 'wx' }).then(
        () => true,
        () => false,
      );
      return { ok: written, path: 'baton.yaml' };
    },
    onInterrupt: (handler) => {
      for (const name of SIGNALS) process.on(name, handler);
      return () => {
        for (const name of SIGNALS) process.off(name, handler);
      };
    },
    keepTrace,
  };
}

process.exitCode = await runCli(process.argv.slice(2), cliDeps(process.cwd()));
