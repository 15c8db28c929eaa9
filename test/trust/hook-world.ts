import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { deliverScript, type Entry, type Roles } from '../support/deliver-script.ts';
import type { World, WorldOptions } from '../surfaces/end-to-end.ts';
import { programsWithout } from './programs-without.ts';

/** A repository of a person who has a key at home and a token in the environment. */
export interface HookWorld extends World {
  /** The person's home folder. */
  readonly at: string;
  git(...args: string[]): string;
  /** Writes a program. */
  program(name: string, text: string): string;
  /** Starts a run with these workers and answers its gates with these options; gives its last screen. */
  deliver(roles: Roles, answers: readonly string[], ...flags: string[]): Promise<Played>;
  answer(run: string, option: string): Promise<string>;
  /** Files with this name in any tree of a run, or in the checkout. */
  found(name: string): string[];
}

interface Played {
  readonly run: string;
  /** All on one line. */
  readonly screen: string;
}

export interface HookWorldOptions {
  readonly sandbox: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

export const TO_COMMIT = ['skip', 'proceed'] as const;

const YAML = "checks: { build: null, test: 'true', lint: null, type_check: null }\n";

export function hookWorlds(
  newWorld: (options?: WorldOptions) => World,
): (options: HookWorldOptions) => HookWorld {
  let folders: string[] = [];
  let unboxed: ReturnType<typeof programsWithout> | undefined;
  afterAll(() => unboxed?.remove());
  afterEach(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    folders = [];
  });
  const folder = (name: string) => {
    const made = mkdtempSync(path.join(tmpdir(), `baton-${name}-`));
    folders.push(made);
    return made;
  };
  return ({ sandbox, files = {} }) => {
    const at = folder('person');
    mkdirSync(path.join(at, '.ssh'));
    writeFileSync(path.join(at, '.ssh', 'id_rsa'), 'the key');
    if (!sandbox) unboxed ??= programsWithout('bwrap');
    const env = { HOME: at, THE_TOKEN: 'the token', ...(!sandbox && { PATH: unboxed?.dir ?? '' }) };
    const all = { 'baton.yaml': YAML, 'greeting.txt': 'hello\n', ...files };
    const world = newWorld({ git: true, env, files: all });
    const answer = async (run: string, option: string) =>
      plain((await world.person('answer', run, option)).stdout);
    return {
      ...world,
      at,
      answer,
      git: (...args) => execFileSync('git', args, { cwd: world.root, encoding: 'utf8' }).trim(),
      program: (name, text) => {
        const file = world.file(name, text);
        chmodSync(file, 0o755);
        return file;
      },
      deliver: async (roles, answers, ...flags) => {
        writeFileSync(path.join(at, 'script.yaml'), deliverScript(roles));
        const how = [
          '--mode',
          'single',
          '--model-config',
          'balanced',
          '--script',
          path.join(at, 'script.yaml'),
        ];
        let screen = plain((await world.person('deliver', 'Greet in capitals', ...how, ...flags)).stdout);
        const run = /\bde-\w+/.exec(screen)?.[0] ?? '';
        for (const option of answers) screen = await answer(run, option);
        return { run, screen };
      },
      found: (name) => globSync([path.join(world.home, '*/trees/*/tree', name), path.join(world.root, name)]),
    };
  };
}

function plain(screen: string): string {
  return screen.replace(/\s+/g, ' ');
}

const GREETING = { path: 'greeting.txt', content: 'HELLO\n' };

/** Workers that make an ordinary change and these besides. */
export function writing(files: Readonly<Record<string, string>>, more: Entry = {}): Roles {
  const edits = Object.entries(files).map(([name, content]) => ({ path: name, content }));
  return changing([GREETING, ...edits], more);
}
