import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { AdapterError } from './engine/errors.ts';
import type { Api } from './runtime/api.ts';
import type { CliDeps, CliOutput, Refusal } from './surfaces/cli/deps.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real terminal, folder and adapters for the command line. Everything heavy is loaded when it is asked for. */
export function cliDeps(folder: string): CliDeps {
  const { stdin, stderr } = process;
  return {
    version: manifest.version,
    folder,
    env: process.env,
    user: systemUser(),
    stdin: { isTTY: stdin.isTTY === true, stream: () => stdin },
    stdout: terminalOutput(),
    stderr: { write: (text) => void stderr.write(text) },
    now: () => Date.now(),
    openApi: ({ create }) => openApi(folder, create),
    refuseMarked: async () => (await import('./prove-person.ts')).refuseMarked(),
    person: async () => (await import('./prove-person.ts')).provePerson(folder),
    agents: async () => (await import('./compose.ts')).findAgents(folder),
    validateScore: async (text, file) => (await import('./check-score.ts')).checkScore(text, file),
    fromRoot: async (file) => (await import('./find-place.ts')).fromRoot(folder, file),
    readFile: (file) => readFile(path.resolve(folder, file), 'utf8').catch(() => null),
    writeConfig: async (text) => {
      const config = path.join(folder, 'baton.yaml');
      const ok = await writeFile(config, text, { flag: 'wx' }).then(
        () => true,
        async (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw (await import('./runtime/system-failure.ts')).toAdapterError(error) ?? error;
        },
      );
      return { ok, path: 'baton.yaml' };
    },
    onInterrupt: (handler) => {
      for (const name of SIGNALS) process.on(name, handler);
      return () => {
        for (const name of SIGNALS) process.off(name, handler);
      };
    },
    keepTrace: async (error) => (await import('./find-place.ts')).keepTrace(error),
  };
}

/** Null where the system has no name for the user, as in some containers. */
function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

function terminalOutput(): CliOutput {
  const { stdout } = process;
  return {
    isTTY: stdout.isTTY === true,
    get columns() {
      return stdout.columns ?? 80;
    },
    write: (text) => void stdout.write(text),
    stream: () => stdout,
  };
}

async function openApi(folder: string, create: boolean): Promise<Api | Refusal> {
  try {
    const { findPlace } = await import('./find-place.ts');
    const place = await findPlace(folder, create);
    if (!place) return { refusal: 'no_store' };
    const { createDeps } = await import('./compose.ts');
    const { createApi } = await import('./runtime/service.ts');
    return createApi(await createDeps(place));
  } catch (error) {
    if (error instanceof AdapterError)
      return { refusal: 'refused', message: error.message, code: error.failure.code };
    throw error;
  }
}
