import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import type { StrongProof } from './contract/person-config.ts';
import { AdapterError } from './engine/errors.ts';
import { errno } from './engine/system-error.ts';
import type { Translate } from './engine/workflow.ts';
import type { Location } from './find-location.ts';
import type { Api } from './runtime/api.ts';
import type { CliDeps, CliOutput, Refusal } from './surfaces/cli/deps.ts';
import type { WordsFor } from './surfaces/cli/words.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Read only when it is needed. Unreadable settings do not count as permission: the error ends the command. */
async function strong(): Promise<StrongProof | null> {
  return (await (await import('./person-config-file.ts')).readPersonConfig()).config.proof ?? null;
}

/** The real terminal, folder and adapters for the command line. Heavy modules are loaded on first use. */
export function cliDeps(folder: string): CliDeps {
  const { stdin, stderr } = process;
  // Known once the store is open. Before that, this process has decided nothing.
  let location: Location | null = null;
  const home = () => location?.home ?? null;
  return {
    version: manifest.version,
    folder,
    env: process.env,
    user: systemUser(),
    stdin: { isTTY: stdin.isTTY === true, stream: () => stdin },
    stdout: terminalOutput(),
    stderr: { write: (text) => void stderr.write(text) },
    now: () => Date.now(),
    openApi: (options) =>
      openApi(folder, options, (found) => {
        location = found;
      }),
    refuseWorker: async (policy) => (await import('./prove-person.ts')).refuseWorkerProcess(policy),
    person: async (about) => (await import('./prove-person.ts')).provePerson({ folder, home, strong }, about),
    codes: async () => (location ? (await import('./prove-person.ts')).showCodes(location.home) : null),
    seen: {
      has: async (gate) => (await seenIn(home()))?.has(gate) ?? false,
      add: async (gate) => (await seenIn(home()))?.add(gate),
      forget: async (id) => (await seenIn(home()))?.forget(id),
    },
    repair: async () => (await import('./compose.ts')).repairLocation(folder),
    traces: async () => (await import('./compose.ts')).tracesOf(folder),
    operations: async () => Object.keys((await (await import('./workflow-table.ts')).loadOperations()).table),
    agents: async () => (await import('./compose.ts')).findAgents(folder),
    warnings: async () => (await import('./compose.ts')).folderWarnings(folder),
    writePersonConfig: async (text) => {
      const { personConfigFile, writePersonConfig } = await import('./person-config-file.ts');
      return { result: await writePersonConfig(text), path: personConfigFile().name };
    },
    words,
    translator,
    personConfig: async () => (await import('./person-config-file.ts')).personConfigFile().name,
    validateScript: async (text, file) => (await import('./check-script.ts')).checkScript(text, file),
    fromRoot: async (file) => (await import('./find-location.ts')).fromRoot(folder, file),
    readFile: (file) => readFile(path.resolve(folder, file), 'utf8').catch(() => null),
    writeConfig: async (text) => {
      const config = path.join(folder, 'baton.yaml');
      const ok = await writeFile(config, text, { flag: 'wx' }).then(
        () => true,
        async (error) => {
          if (errno(error) === 'EEXIST') return false;
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
    storeTrace: async (error) => (await import('./find-location.ts')).storeTrace(error),
  };
}

async function words(): Promise<WordsFor> {
  const { createWords } = await import('./runtime/translate.ts');
  const { cliTexts } = await import('./texts.ts');
  return (lang) => createWords(cliTexts, lang);
}

async function translator(lang: string): Promise<Translate> {
  const { createTranslator } = await import('./runtime/translate.ts');
  return createTranslator((await import('./texts.ts')).cliTexts, lang);
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

async function seenIn(home: string | null) {
  return home === null ? null : (await import('./prove-person.ts')).seenGates(home);
}

async function openApi(
  folder: string,
  { create, caller }: Parameters<CliDeps['openApi']>[0],
  notifyLocation: (location: Location) => void,
): Promise<Api | Refusal> {
  try {
    const { findLocation } = await import('./find-location.ts');
    const location = await findLocation(folder, create);
    if (!location) return { refusal: 'no_store' };
    notifyLocation(location);
    const { createDeps } = await import('./compose.ts');
    const { createApi } = await import('./runtime/service.ts');
    return createApi(await createDeps(location), caller);
  } catch (error) {
    if (error instanceof AdapterError)
      return { refusal: 'refused', message: error.message, code: error.failure.code };
    throw error;
  }
}
