import type { RunStatus } from '../../../contract/run.ts';
import { isRejection, type Rejection } from '../../../engine/rejection.ts';
import type { Api, RunView } from '../../../runtime/api.ts';
import { type Context, localWords, orFail, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';
import { type Words, wordsFor } from '../messages.ts';
import { age } from '../span.ts';
import { type StatusRow, showStatusTable } from '../status-lines.ts';

type RunSummary = Awaited<ReturnType<Api['list']>>[number];

/** What waits for whom and the next command. Reads only. */
export async function status(context: Context): Promise<number> {
  const [name] = context.values.positionals;
  if (name === undefined)
    return withApi(
      context,
      false,
      (api) => showAll(context, api),
      () => showEmpty(context, true),
    );
  return withApi(context, false, (api) => withRun(context, api, name, (run) => showOne(context, api, run)));
}

function showEmpty(context: Context, untouched: boolean): number {
  const words = localWords(context);
  if (context.screen.json) context.screen.printJson({ waiting: [], working: [], sleeping: [], halted: [] });
  context.screen.text(untouched ? words.nothing_here : words.nothing_live);
  context.screen.text(`  ${words.start_with(`baton spec "${words.what_you_want}"`)}`);
  return EXIT.done;
}

async function showAll(context: Context, api: Api): Promise<number> {
  const runs = (await api.list(false)).filter((run) => run.status !== 'ended');
  if (context.screen.json) return printAll(context, api, runs);
  if (runs.length === 0) return showEmpty(context, false);
  const words = localWords(context);
  const views = new Map<string, RunView>();
  for (const run of runs.filter((run) => run.status === 'working')) {
    const view = await api.view(run.id);
    if (!isRejection(view)) views.set(run.id, view);
  }
  const rows = ORDER.flatMap((state) => runs.filter((run) => run.status === state)).map((run) =>
    rowOf(run, views.get(run.id), words, context.deps.now()),
  );
  showStatusTable(context.screen, rows, words);
  return EXIT.done;
}

const ORDER: readonly RunStatus[] = ['waiting', 'working', 'sleeping', 'halted'];

function rowOf(run: RunSummary, view: RunView | undefined, words: Words, now: number): StatusRow {
  return {
    status: run.status,
    name: view && view.driven_by === null ? words.interrupted : words.status[run.status],
    run: run.id,
    what: whatOf(run, view, words),
    title: run.title,
    age: age(run.updated_at, now),
    command: commandFor(run),
  };
}

function whatOf(run: RunSummary, view: RunView | undefined, words: Words): string {
  if (run.trouble) return words.trouble_named(run.trouble.kind);
  if (run.status === 'waiting' && run.step.kind === 'gate') return words.gate_named(run.step.name);
  const calls = view?.calls ?? [];
  const count =
    calls.length > 1 ? ` ${words.calls_done(calls.filter((call) => call.done).length, calls.length)}` : '';
  return `${run.phase.replaceAll('_', ' ')}${count}`;
}

function commandFor(run: Pick<RunSummary, 'id' | 'status'>): string {
  return run.status === 'waiting' ? `baton answer ${run.id}` : `baton resume ${run.id}`;
}

async function printAll({ screen, deps }: Context, api: Api, runs: readonly RunSummary[]): Promise<number> {
  const open = new Map((await api.gates()).map(({ gate }) => [gate.id as string, gate]));
  const of = (state: RunStatus) => runs.filter((run) => run.status === state);
  const base = (run: RunSummary) => ({
    run: run.id,
    phase: run.phase,
    title: run.title,
    since: run.updated_at,
    command: commandFor(run),
  });
  const waiting = of('waiting').map((run) => {
    const gate = open.get(run.gate ?? '');
    const { title, since, command } = base(run);
    return {
      run: run.id,
      gate: run.gate,
      name: gate?.name ?? null,
      class: gate?.class ?? null,
      title,
      since,
      command,
    };
  });
  const working = await Promise.all(
    of('working').map(async (run) => ({
      ...base(run),
      step: run.step.kind,
      ...workOf(await api.view(run.id), deps.now()),
    })),
  );
  const sleeping = of('sleeping').map((run) => ({
    ...base(run),
    wait: run.step.kind === 'wait' ? run.step.until : null,
  }));
  const halted = of('halted').map((run) => ({
    ...base(run),
    halt: run.halt,
    wait: run.step.kind === 'wait' ? run.step.until : null,
  }));
  screen.printJson({ waiting, working, sleeping, halted });
  return EXIT.done;
}

function workOf(view: RunView | Rejection, now: number): Readonly<Record<string, unknown>> {
  return isRejection(view) ? {} : { driven_by: view.driven_by, calls: callsOf(view, now) };
}

function callsOf(view: RunView, now: number): unknown[] {
  return view.calls.map(({ role, attempts, done, since }) => ({
    role,
    state: done ? 'done' : attempts > 1 ? 'retry' : 'started',
    seconds: Math.max(0, Math.round((now - Date.parse(since)) / 1000)),
  }));
}

/** One run: its status block in its own language, and the next command. */
async function showOne(context: Context, api: Api, run: string): Promise<number> {
  const found = await orFail(context, api, await api.view(run));
  if ('exit' in found) return found.exit;
  const view = found.value;
  const { screen, deps } = context;
  if (screen.json) {
    const { state: _state, ...row } = view.run;
    const calls = callsOf(view, deps.now());
    screen.printJson({
      ...row,
      gate: view.gate,
      spend: view.spend,
      driven_by: view.driven_by,
      calls,
      command: commandFor(view.run),
    });
    return EXIT.done;
  }
  const { showRunStatus } = await import('../status-block.ts');
  showRunStatus(screen, view, {
    t: await api.translator(view.run.workflow, view.run.lang),
    words: wordsFor(view.run.lang),
    now: deps.now(),
  });
  return EXIT.done;
}
