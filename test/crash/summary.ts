import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { coreOf } from '../../src/engine/write-change.ts';
import type { Lab } from '../support/lab.ts';
import type { Journal, Seen } from './person.ts';

/** What a run came to, without what differs between any two runs: times, receipts, commit ids. */
export interface Summary {
  /** Final rows, gates, answers and documents. */
  readonly final: string;
  /** Outside writes: files of the folder, documents and commits on our branches, deployments. */
  readonly outside: readonly string[];
  readonly problems: readonly string[];
}

/** Letters that stand in the ids of one folder's runs and nowhere else. */
export function lifeId(dir: string): string {
  return `z${createHash('sha256').update(dir).digest('hex').slice(0, 11)}`;
}

export async function summarise(lab: Lab, asks: boolean, life: string): Promise<Summary> {
  const runs = await lab.api.list(true);
  const final: unknown[] = [];
  const children = runs.filter((run) => run.parent !== null).map((run) => run.id);
  const normalise = (text: string) =>
    children
      .reduce((all, id, n) => all.replaceAll(id, `child${n}`), withoutTimes(text))
      .replaceAll(life, 'ID');
  for (const { id } of runs.sort((a, b) => (a.created_at < b.created_at ? -1 : 1))) {
    const { counters, turn, ...core } = coreOf(await lab.row(id));
    const answers = (await lab.deps.store.answers(id)).filter(
      ({ option }) => !asks || !['happened', 'again'].includes(option),
    );
    const records = await lab.deps.store.records(id);
    final.push({
      core: asks ? core : { ...core, counters, turn },
      answers: answers.map(({ gate, option, text, fields }) => ({
        gate: asks ? null : gate,
        option,
        text,
        fields,
      })),
      records: records.map(({ record }) => record),
      documents: await documents(lab, id),
    });
  }
  const report = await lab.api.doctor(true);
  return {
    final: normalise(JSON.stringify(final)),
    outside: outsideOf(lab, normalise),
    problems: report.problems.map((p) => p.problem),
  };
}

async function documents(lab: Lab, id: string): Promise<unknown> {
  const shown = await lab.api.artefacts(id);
  return 'rejection' in shown ? shown : shown.map(({ name, text }) => [name, text]);
}

function withoutTimes(json: string): string {
  return json
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'T')
    .replace(/\ban-[0-9a-z]{6}\b/g, 'an')
    .replace(/(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/g, 'SHA')
    .replace(/"commit":"[0-9a-f]{12}"/g, '"commit":"SHA"')
    .replace(/-20\d{12}/g, '-STAMP');
}

function outsideOf(lab: Lab, normalise: (text: string) => string): string[] {
  const lines = filesOf(lab.root, '').map((name) => {
    const text = normalise(readFileSync(path.join(lab.root, name), 'utf8'));
    return `file ${name} ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  });
  const log = path.join(lab.root, '..', 'deployed.log');
  if (existsSync(log))
    lines.push(
      ...readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => `deployed ${line}`),
    );
  if (existsSync(path.join(lab.root, '.git'))) lines.push(...branchesOf(lab.root));
  return lines.map(normalise).sort();
}

function filesOf(root: string, below: string): string[] {
  return readdirSync(path.join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.name === '.git') return [];
    return entry.isDirectory() ? filesOf(root, name) : [name];
  });
}

/** Every commit of every branch but the first one, with the tree it has. */
function branchesOf(root: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
  return branches.flatMap((branch) => {
    const commits = git('log', '--format=%T %s', branch).split('\n');
    return commits.map((commit, index) => `branch ${branch} ${commits.length - index} ${commit}`);
  });
}

/** What is gone, or open again, after a restart: compared with what the person saw and what the store had. */
export async function missingAfterRestart(
  lab: Lab,
  journal: Journal,
): Promise<{ lost: string[]; repeated: string[] }> {
  const lost: string[] = [];
  const repeated: string[] = [];
  for (const line of journal.read()) {
    const [gone, again] = await checkSeen(lab, line);
    if (gone) lost.push(gone);
    if (again) repeated.push(again);
  }
  return { lost, repeated };
}

async function checkSeen(lab: Lab, line: Seen): Promise<[string | null, string | null]> {
  if (line.seen === 'repeated') return [null, line.what];
  const gate = await lab.deps.store.gate(line.gate as never);
  if (!gate) return [`gate ${line.gate}`, null];
  if (line.seen === 'drafted') {
    const draft = await lab.deps.store.draft(gate.id);
    const kept = Object.entries(line.draft).every(([key, text]) => draft[key] === text);
    return [gate.status === 'open' && !kept ? `draft of ${line.gate}` : null, null];
  }
  const answer = await lab.deps.store.answerOf(gate.id, line.iteration);
  const held = gate.options[line.option]?.leads === 'hold';
  if (held) return [null, null];
  const asked =
    gate.status === 'open' && gate.iteration === line.iteration ? `gate ${line.gate} asked again` : null;
  return [answer?.option === line.option ? null : `answer to ${line.gate}`, asked];
}
