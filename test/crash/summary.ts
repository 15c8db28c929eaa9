import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { coreOf } from '../../src/engine/write-change.ts';
import type { Lab } from '../support/lab.ts';
import { recordsOf } from '../support/records-of.ts';
import { filesOf, hash, remoteOf, repositoryOf, touched, withoutTimes } from './folder.ts';
import { type Journal, type Seen, unused } from './person.ts';
import type { Scenario } from './scenario.ts';

/** What a run came to, at its end or where it rests, without what differs between any two runs: times, receipts, commit ids. */
export interface Summary {
  /** Rows, gates, answers and documents. */
  readonly final: string;
  /** Outside writes: files of the folder, documents and commits on our branches, deployments. */
  readonly outside: readonly string[];
  readonly problems: readonly string[];
}

/** `ended`: only then must everything the scenario has to say have been said. */
export async function summarise(lab: Lab, scenario: Scenario, ended: boolean): Promise<Summary> {
  const { asks = false } = scenario;
  const runs = (await lab.api.list(true)).sort(
    (a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id),
  );
  const final: unknown[] = [];
  const children = runs.filter((run) => run.parent !== null).map((run) => run.id);
  const normalise = (text: string) =>
    children.reduce((all, id, n) => all.replaceAll(id, `child${n}`), withoutTimes(text));
  for (const { id } of runs) {
    const { counters, turn, ...core } = coreOf(await lab.row(id));
    const answers = (await lab.deps.store.answers(id)).filter(
      ({ option }) => !asks || !['happened', 'again', 'go_on'].includes(option),
    );
    final.push({
      core: asks ? core : { ...core, counters, turn },
      answers: answers.map(({ gate, option, text, fields }) => ({
        gate: asks ? null : gate,
        option,
        text,
        fields,
      })),
      records: await recordsOf(lab.deps, id),
      documents: await documents(lab, id),
    });
  }
  if (scenario.workflow === 'conduct') final.push({ ledger: await lab.api.decisions({ limit: 100 }) });
  const report = await lab.api.doctor(true);
  return {
    final: normalise(JSON.stringify(final)),
    outside: outsideOf(lab, normalise),
    problems: [
      ...report.problems.map((p) => p.problem),
      ...touched(path.join(lab.root, '..')),
      ...(ended ? await unused(lab, scenario) : []),
    ],
  };
}

async function documents(lab: Lab, id: string): Promise<unknown> {
  const shown = await lab.api.artefacts(id);
  return 'rejection' in shown ? shown : shown.map(({ name, text }) => [name, text]);
}

function outsideOf(lab: Lab, normalise: (text: string) => string): string[] {
  const contents = (root: string, what: string) =>
    filesOf(root, '').map((name) => {
      return `${what} ${name} ${hash(normalise(readFileSync(path.join(root, name), 'utf8')))}`;
    });
  const lines = contents(lab.root, 'file');
  const log = path.join(lab.root, '..', 'deployed.log');
  if (existsSync(log))
    lines.push(
      ...readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => `deployed ${line}`),
    );
  const trees = path.join(lab.home, 'trees');
  for (const run of existsSync(trees) ? readdirSync(trees) : []) {
    // A part an interrupted process left is collected later; it is no outside write.
    if (!run.startsWith('.')) lines.push(...contents(path.join(trees, run, 'tree'), `tree ${run}`));
  }
  if (existsSync(path.join(lab.root, '.git')))
    lines.push(...repositoryOf(lab.root, normalise), ...remoteOf(lab.root, normalise));
  return lines.map(normalise).sort();
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
  const held = gate.options[line.option]?.effect_on_run === 'hold';
  if (held) return [null, null];
  const asked =
    gate.status === 'open' && gate.iteration === line.iteration ? `gate ${line.gate} asked again` : null;
  return [answer?.option === line.option ? null : `answer to ${line.gate}`, asked];
}
