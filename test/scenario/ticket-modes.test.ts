import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { TrustLevel } from '../../src/contract/ticket.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { StopPoint } from '../../src/runtime/views.ts';
import { filesOf } from '../crash/conduct-folder.ts';
import { decomposed, designed } from '../support/conduct-script.ts';
import { reopened, told } from '../support/handed-over.ts';
import { isRunning } from '../support/is-running.ts';
import { gateOf, type Lab, type LabOptions } from '../support/lab.ts';
import { call, create, stateOf } from '../support/ticket-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { labsOfTest, script } from './quick-lab.ts';

const labs = labsOfTest();
const ID = 'B-1';

/** Invokes the ticket in this mode, as `baton conduct` does, and drives it to its next rest. */
async function drive(lab: Lab, mode = 'controlled'): Promise<StopPoint> {
  const handle = await reopened(lab, ID, mode);
  const { step } = await lab.row(ID);
  if (step.kind === 'wait') await lab.api.command({ run: ID, command: 'conduct' });
  const rest = await handle.advance();
  await handle.close();
  return rest;
}

async function accepting(lab: Lab, until: string): Promise<StopPoint> {
  for (let rest = await drive(lab); ; rest = await drive(lab)) {
    if (rest.gate?.name === until) return rest;
    await lab.answer(gateOf(rest), 'accept');
  }
}

/** A lab with one ticket and everything its workers were told. */
async function watched(options: LabOptions = {}): Promise<{ lab: Lab; calls: AgentCall[] }> {
  const calls: AgentCall[] = [];
  const agent = (deps: Deps): Deps['agent'] => {
    return async (policy, role) => {
      const real = await deps.agent(policy, role);
      const run: typeof real.run = (order, signal) => {
        calls.push(order);
        return real.run(order, signal);
      };
      return { ...real, run };
    };
  };
  const lab = await labs.open({
    ...options,
    wrap: (deps) => {
      const own = options.wrap?.(deps) ?? deps;
      return { ...own, agent: agent(own) };
    },
  });
  await create(lab, 'Rename photos');
  return { lab, calls };
}

/** Something accepted to rest on: a draft that says of itself that it is a guess is never routine. */
const known = (lab: Lab, status = 'Accepted') =>
  lab.api.recordDecision({ type: 'business', title: 'Rename photos by date', domains: ['product'], status });

describe('the row', () => {
  test('CON-16 copied into a fresh database leads to the same decision', async () => {
    const seen: (string | undefined)[] = [];
    for (const until of ['clarify', 'decompose', 'design', 'plan']) {
      const { lab } = await watched();
      await accepting(lab, until);
      await lab.api.close();
      const decided = [];
      for (const mode of ['controlled', 'partial:design']) {
        const [one, two] = [await labs.copy(lab), await labs.copy(lab)];
        for (const copy of [one, two]) {
          const { gate, pause, phase } = await drive(copy, mode);
          const { uuid: _, ...state } = await stateOf(copy, ID);
          decided.push({ phase, gate: [gate?.name, gate?.digest], cause: pause?.cause, state: plain(state) });
        }
        expect(decided.at(-1)).toEqual(decided.at(-2));
        seen.push(`${until} ${decided.at(-1)?.gate[0]} ${decided.at(-1)?.cause}`);
      }
    }
    expect(seen).toEqual([
      'clarify clarify controlled',
      'clarify design pause-at',
      'decompose decompose controlled',
      'decompose design pause-at',
      'design design controlled',
      'design design pause-at',
      'plan plan controlled',
      'plan plan pause-at',
    ]);
  });

  test('CON-25 while it awaits an answer no worker is started, in any mode, however often one looks', async () => {
    const { lab, calls } = await watched({
      script: script({ design: [{ result: designed({ why: ['It needs a migration.'] }) }] }),
    });
    await accepting(lab, 'design');
    const before = [calls.length, (await stateOf(lab, ID)).brief];
    for (const mode of ['controlled', 'partial:plan', 'unattended', 'escalate', 'controlled'])
      expect(await drive(lab, mode)).toMatchObject({ gate: { name: 'design' } });
    expect([calls.length, (await stateOf(lab, ID)).brief]).toEqual(before);
  });

  test('CON-19 invoked again it goes on from where it stands: answered elsewhere, or moved by another path', async () => {
    const { lab } = await watched();
    const first = await drive(lab);
    const elsewhere = await lab.other();
    await elsewhere.answer(gateOf(first), 'accept');
    await elsewhere.close();
    expect(await drive(lab)).toMatchObject({ phase: 'Clarified', gate: { name: 'decompose' } });
    await lab.api.command({ run: ID, command: 'park', args: { why: 'later' } });
    await lab.api.command({ run: ID, command: 'unpark' });
    expect(await drive(lab)).toMatchObject({ phase: 'Clarified', gate: { name: 'decompose' } });
    await accepting(lab, 'plan');
    await lab.api.command({ run: ID, command: 'reopen', args: { to: 'clarify', why: 'other wishes' } });
    await lab.answer(gateOf(await drive(lab)), 'accept');
    expect(await drive(lab)).toMatchObject({ phase: 'Idea', gate: { name: 'clarify' } });
  });
});

describe('a process that died', () => {
  let orphan = 0;
  afterEach(() => {
    if (orphan !== 0 && isRunning(orphan)) process.kill(orphan, 'SIGKILL');
  });

  /** Dies while the worker of the clarify gate runs, which lives on with its mark. */
  const dyingInWorker = (deps: Deps): Deps =>
    killAt(1, (label) => label === 'while worker clarify').wrap({
      ...deps,
      agent: async (policy, role) => ({
        ...(await deps.agent(policy, role)),
        async *run({ key: call_id, cwd, dir }) {
          mkdirSync(dir, { recursive: true });
          const files = { stdout: path.join(dir, 'out.txt'), stderr: path.join(dir, 'err.txt') };
          const env = { PATH: process.env.PATH ?? '' };
          const spec = { argv: ['sleep', '600'], cwd, call_id, env, stdin: '', ...files };
          orphan = (await deps.processes.spawn(spec)).pid;
          yield { type: 'started', pid: orphan };
        },
      }),
    });

  test('CON-20 leaves a worker that is stopped before whoever takes over starts a new one', async () => {
    const ended: unknown[] = [];
    const { lab, calls } = await watched({
      wrap: (deps) => ({
        ...deps,
        agent: async (...given) => {
          const real = await deps.agent(...given);
          const run: typeof real.run = (...order) => {
            ended.push(!isRunning(orphan));
            return real.run(...order);
          };
          return { ...real, run };
        },
      }),
    });
    const dying = await labs.dying(lab, dyingInWorker);
    expect(await diesOf(drive(dying))).toBe(true);
    expect(isRunning(orphan)).toBe(true);
    expect(await drive(lab)).toMatchObject({ gate: { name: 'clarify' } });
    expect(calls.map(({ role, attempt }) => [role, attempt])).toEqual([['clarify', 1]]);
    expect(ended).toEqual([true]);
  });
});

const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/"(dr|an)-\w+"|"\d{4}-\d\d-\d\dT[^"]+"/g, 'null'));

describe('the judge', () => {
  const ROUTINE = { worth: false, signals: [], why: 'routine' };
  const RISKY = { decompose: [{ result: decomposed([], { why: ['It needs a migration.'] }) }] };
  const judged = (calls: readonly AgentCall[]) => calls.filter(({ role }) => role === 'escalate_judge');

  test.each(['controlled', 'partial:release', 'unattended', 'escalate'])(
    'CON-50 in mode %s is called for a gate only in escalate, and never on a floored one',
    async (mode) => {
      const { lab, calls } = await watched({
        script: script({ ...RISKY, escalate_judge: [{ result: ROUTINE }, { result: ROUTINE }] }),
      });
      await known(lab);
      const rest = await drive(lab, mode);
      expect(rest.pause?.cause).toBe(mode === 'controlled' ? 'controlled' : 'risk-floor');
      expect(judged(calls)).toHaveLength(mode === 'escalate' ? 1 : 0);
    },
  );

  test('CON-50 reads the document and the content of the brief as people read it, and on what it rests', async () => {
    const { lab, calls } = await watched({ script: script({ escalate_judge: [{ result: ROUTINE }] }) });
    await known(lab);
    await drive(lab);
    const brief = await call<{ content: string; doc: object }>(lab, 'get_brief', { task_id: ID });
    await drive(lab, 'escalate');
    const [asked] = judged(calls);
    expect(asked?.slots.content).toBe(brief.content);
    expect(JSON.parse(asked?.slots.brief ?? '')).toEqual(brief.doc);
    expect(JSON.parse(asked?.slots.knowledge ?? '')).toEqual([{ id: 'D-1', status: 'Accepted' }]);
    expect(asked?.prompt).toContain(brief.content);
  });

  test('CON-51 is not asked about a brief that rests on an entry which is only asserted', async () => {
    const { lab, calls } = await watched({ script: script({ escalate_judge: [{ result: ROUTINE }] }) });
    await known(lab, 'Asserted');
    await drive(lab, 'escalate');
    expect(await told(lab, ID, 'gate_paused')).toMatchObject([
      { name: 'clarify', cause: 'escalate', signals: ['knowledge-gap'] },
    ]);
    expect(judged(calls)).toEqual([]);
  });
});

describe('accepted on behalf', () => {
  const left = async (lab: Lab) => {
    const decisions = await lab.api.decisions({});
    if (isRejection(decisions)) throw new Error('refused');
    const { criteria, checklist, children, labels, decided, tracks, phase } = await stateOf(lab, ID);
    const entries = await lab.deps.store.records(ID, 'entry', 'history');
    const moves = entries.map(({ record }) => (record.kind === 'entry' ? record.data : null)) as Move[];
    return {
      ...{ criteria, checklist, children, labels, decided, tracks, phase },
      decisions: decisions.map(({ id, type, status, title, body, domains }) => {
        return { id, type, status, title, body, domains };
      }),
      linked: (await lab.deps.store.ticketKnowledge(ID)).map(({ id }) => id),
      moves: moves.map(({ activity, from, to }) => `${from} ${activity} ${to}`),
      from: new Set(moves.map(({ provenance }) => provenance)),
      runs: (await lab.deps.store.list({})).map(({ id, workflow, phase: at, title }) => {
        return [id, workflow, at, title];
      }),
    };
  };
  interface Move {
    readonly activity: string;
    readonly from: string;
    readonly to: string;
    readonly provenance: string;
  }

  test.each([
    ['one piece, up to the plan', [], 'plan', 'partial:plan'],
    ['in parts', ['a', 'b'], null, 'unattended'],
  ] as const)(
    'CON-53 %s leaves what a person’s accepts leave, in every table, but for who said so',
    async (_name, keys, until, mode) => {
      const plays = { script: script({ decompose: [{ result: decomposed(keys) }] }) };
      const { lab: led } = await watched(plays);
      for (let rest = await drive(led); rest.gate && rest.gate.name !== until; rest = await drive(led))
        await led.answer(rest.gate, 'accept');
      const { lab: handed } = await watched(plays);
      await drive(handed, mode);
      const [person, agent] = [await left(led), await left(handed)];
      expect({ ...agent, from: null }).toEqual({ ...person, from: null });
      expect(person.decisions.filter(({ status }) => status === 'Accepted').length).toBeGreaterThan(1);
      expect(person.children).toHaveLength(keys.length);
      expect([...person.from]).toContain('human:test');
      expect([...agent.from].filter((from) => from.startsWith('human:'))).toEqual([]);
      expect([...agent.from]).toContain(`agent:${mode}`);
    },
  );
});

describe('at the autonomous dial', () => {
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
  const wrap = (deps: Deps): Deps => ({ ...deps, trust: async (): Promise<TrustLevel> => 'autonomous' });

  test('CON-13 no flag pauses at the first gate; unattended builds and pauses at release', async () => {
    const { lab } = await watched({ git: true, files: filesOf(), wrap });
    const remote = path.join(path.dirname(lab.root), 'remote.git');
    git(lab.root, 'init', '-q', '--bare', '-b', 'main', remote);
    git(lab.root, 'remote', 'add', 'origin', remote);
    git(lab.root, 'push', '-q', 'origin', 'main');
    expect(await drive(lab)).toMatchObject({ gate: { name: 'clarify' }, pause: { cause: 'controlled' } });
    expect(await drive(lab, 'unattended')).toMatchObject({
      phase: 'Built',
      gate: { name: 'release' },
      pause: { cause: 'hard-floor' },
    });
    expect((await told(lab, ID, 'auto_accepted')).map(({ name, mode }) => [name, mode])).toEqual(
      ['clarify', 'decompose', 'design', 'plan'].map((name) => [name, 'unattended']),
    );
  }, 120_000);
});
