import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MARGIN = '   ';
const EDGE = `${MARGIN}| `;
const WIDTH = Math.min(process.stdout.columns ?? 80, 100);

/** Where the demo plays: all of it under one temporary folder that is kept for looking at. */
export interface Stage {
  readonly base: string;
  /** A small repository with one commit. */
  readonly folder: string;
  /** Stands where `~/.local/state/baton` stands for a person. */
  readonly state: string;
}

/** Makes the sample repository, the score beside it, and an empty state directory. */
export function setStage(): Stage {
  const base = mkdtempSync(path.join(tmpdir(), 'baton-demo-'));
  const stage = { base, folder: path.join(base, 'photos'), state: path.join(base, 'state') };
  mkdirSync(stage.folder);
  mkdirSync(stage.state, { mode: 0o700 });
  copyFileSync(new URL('demo-score.yaml', import.meta.url), path.join(base, 'score.yaml'));
  writeFileSync(path.join(stage.folder, 'README.md'), '# photos\n\nPictures of the last years.\n');
  writeFileSync(
    path.join(stage.folder, 'conventions.md'),
    '# Conventions\n\n- Names are lower case, with hyphens.\n- Nothing is deleted without asking.\n',
  );
  git(stage, 'init', '-q', '-b', 'main');
  git(stage, 'config', 'user.name', 'Demo Person');
  git(stage, 'config', 'user.email', 'demo@example.org');
  git(stage, 'add', '.');
  git(stage, 'commit', '-q', '-m', 'photos: start');
  return stage;
}

export function git({ folder }: Stage, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A line of the story itself, or the title of a part of it. */
export function tell(text: string): void {
  console.log('');
  for (const line of wrap(text, WIDTH)) console.log(line);
}

/** The demo's own words. */
export function say(text: string): void {
  for (const line of wrap(text, WIDTH - MARGIN.length)) console.log(MARGIN + line);
}

/** A command as a person would type it. */
export function typed(argv: readonly string[], remark = ''): void {
  const shown = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  for (const [i, line] of wrap(`$ ${shown}`, WIDTH - MARGIN.length - 4).entries())
    console.log(`${MARGIN}${i === 0 ? '' : '    '}${line}`);
  if (remark !== '') console.log(`${MARGIN}  (${remark})`);
}

/** What a command printed, set apart from the demo's own words. */
export function echo(line: string): void {
  for (const part of wrap(line, WIDTH - EDGE.length)) console.log(`${EDGE}${part}`.trimEnd());
}

export interface Life {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and all it printed is shown: an exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts `baton <argv>` in a process of its own, with the demo's composition. */
export function startLife(stage: Stage, argv: readonly string[]): Life {
  typed(['baton', ...argv]);
  const script = new URL('./demo-life.ts', import.meta.url);
  return start(stage, script, [String(WIDTH - EDGE.length), ...argv], false);
}

/** The command as it is shipped, in a session without a terminal. */
export function startShipped(stage: Stage, argv: readonly string[]): Life {
  typed(['baton', ...argv], 'the command as it is shipped, without a person at a terminal');
  return start(stage, new URL('../src/main.ts', import.meta.url), argv, true);
}

function start(stage: Stage, script: URL, args: readonly string[], detached: boolean): Life {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    cwd: stage.folder,
    detached,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BATON_HOME: stage.state, USER: 'demo', LC_ALL: 'C.UTF-8', NO_COLOR: '1' },
  });
  const shown = [child.stdout, child.stderr].map(
    (input) => new Promise<void>((done) => createInterface({ input }).on('line', echo).on('close', done)),
  );
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  return { child, ended: Promise.all(shown).then(() => ended) };
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const at = space > width / 3 ? space : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
