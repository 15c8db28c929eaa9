import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Started as a program: what imports this file is bundled for the crash runs, and the bundler cannot be. */
const BUNDLER = path.join(ROOT, 'node_modules/tsdown/dist/run.mjs');
const STORED = path.join(ROOT, 'node_modules/.cache/baton-bundles');
const A_DAY_MS = 24 * 60 * 60 * 1000;

/** The programs exactly as they are shipped. */
interface SharedBundle {
  readonly folder: string;
  /** The command line. */
  readonly main: string;
  readonly rehearsalWorker: string;
}

let bundle: Promise<SharedBundle> | undefined;

/**
 * One build of these sources for all test files and all later test runs. It starts in half the time of the sources.
 * Two processes may build at the same time: the first to finish publishes its build, the other one uses that.
 */
export function sharedBundle(): Promise<SharedBundle> {
  bundle ??= findOrBuild();
  return bundle;
}

async function findOrBuild(): Promise<SharedBundle> {
  const folder = path.join(STORED, keyOfSources());
  if (!existsSync(folder)) await publish(folder);
  const program = (name: string) => path.join(folder, `${name}.cjs`);
  return { folder, main: program('main'), rehearsalWorker: program('rehearsal-worker') };
}

/** Equal keys: equal sources, dependencies and build settings. */
function keyOfSources(): string {
  const files = globSync('src/**/*.*', { cwd: ROOT }).sort();
  const hash = createHash('sha256');
  for (const file of [...files, 'tsdown.config.ts', 'package-lock.json'])
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 24);
}

/** Builds aside and moves the result into place, so that no one sees half a build. */
async function publish(folder: string): Promise<void> {
  mkdirSync(STORED, { recursive: true });
  removeOldBuilds();
  const aside = mkdtempSync(path.join(STORED, 'building-'));
  const args = [BUNDLER, '--config', 'tsdown.config.ts', '--out-dir', aside, '--log-level', 'error'];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Younger builds stay: another test run may use one that these sources do not lead to. */
function removeOldBuilds(): void {
  for (const name of readdirSync(STORED)) {
    const build = path.join(STORED, name);
    const made = statSync(build, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > A_DAY_MS) rmSync(build, { recursive: true, force: true });
  }
}
