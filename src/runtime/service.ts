import type { Person } from '../contract/answer.ts';
import type { Gate } from '../contract/gate.ts';
import type { GateId, RunId } from '../contract/ids.ts';
import type { Signal } from '../contract/outcome.ts';
import type { Input } from '../engine/input.ts';
import { oneAtATime } from '../engine/one-at-a-time.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { At } from '../engine/write-change.ts';
import type { Api, Progress } from './api.ts';
import { apply, deliver } from './apply.ts';
import type { Breakers } from './breakers.ts';
import type { Deps } from './deps.ts';
import type { LiveDrive } from './drive.ts';
import type { KnowledgeApi } from './knowledge-api.ts';
import type { Service } from './live.ts';
import { unleased } from './load.ts';
import type { TicketApi } from './ticket-api.ts';

// Loaded once, so that a call does not go through the module loader again.
const loadBreakers = once(() => import('./breakers.ts'));
const loadDrive = once(() => import('./drive.ts'));
const loadStartRun = once(() => import('./start-run.ts'));
const loadOpenDrive = once(() => import('./open-drive.ts'));
const loadReport = once(() => import('./report.ts'));
const loadAnswerGate = once(() => import('./answer-gate.ts'));
const loadChangeAgent = once(() => import('./change-agent.ts'));
const loadNoteWorker = once(() => import('./note-worker.ts'));
const loadWorkOrders = once(() => import('./work-orders.ts'));
const loadDecisions = once(() => import('./decisions.ts'));
const loadSettings = once(() => import('./settings.ts'));
const loadTickets = once(() => import('./tickets.ts'));
const loadTicketQueue = once(() => import('./ticket-queue.ts'));
const loadTicketStats = once(() => import('./ticket-stats.ts'));
const loadSubtasks = once(() => import('./subtasks.ts'));
const loadOperations = once(() => import('./operations.ts'));
const loadWatch = once(() => import('./watch.ts'));
const loadAnnounce = once(() => import('./announce.ts'));
const loadRead = once(() => import('./read.ts'));
const loadTranslate = once(() => import('./translate.ts'));
const loadDoctor = once(() => import('./doctor.ts'));

/**
 * The service that every surface calls. Modules that drive runs, render text or check input are loaded on first use. A
 * listing must cost little more than the start of Node.
 */
export function createApi(deps: Deps): Api {
  const listeners = new Set<(progress: Progress) => void>();
  const service = createService(deps, (progress) => {
    for (const listener of listeners) listener(progress);
  });
  const api: Api = {
    start: async (workflow, input, options) =>
      (await loadStartRun()).startRun(service, workflow, input, options),
    open: async (run, opened_by, attended, invocation) =>
      (await loadOpenDrive()).openDrive(service, run, { opened_by, attended, invocation }),
    command: (run, command, by, args) =>
      giveCommand(service, run, { command, ...calledBy(by), args: args ?? {} }),
    changeAgent: async (run, agent, by) => (await loadChangeAgent()).changeAgent(service, run, { agent, by }),
    stop: (run, by) => stopRun(service, run, by),
    answer: async (gate, input, by, drive) =>
      (await loadAnswerGate()).answerGate(service, gate, input, { by, options: drive ?? null }),
    noteWorker: async (run, tried) => (await loadNoteWorker()).noteWorker(deps, run, tried),
    ...orderApi(deps),
    ...knowledgeApi(deps),
    ...ticketApi(service),
    manageChildren: async (name, change, by) => (await loadSubtasks()).manageChildren(api, name, change, by),
    operate: async (operation, input, caller) =>
      (await loadOperations()).operate(api, operation, input, caller),
    announce: async (run, what) => (await loadAnnounce()).announce(deps, run, what),
    findTicket: async (name) => (await import('./find-ticket.ts')).findTicket(deps, name),
    storeDraft: (gate, digest, draft) => deps.store.storeDraft(gate, digest, draft),
    find: (name) => findRun(deps, name),
    findGate: (name) => findGate(deps, name),
    list: (all) => deps.store.list(all ? {} : { ended: false }),
    gates: async (run) => (await loadRead()).shownGates(deps, run),
    view: async (run) => (await loadRead()).viewRun(deps, run),
    watch: async (run, signal) => (await loadWatch()).watchRun(deps, run, signal),
    log: async (run, after) => {
      const found = await deps.store.load(run);
      return found ? deps.store.events(run, after, 10_000) : reject('no_such_run', { run });
    },
    records: (run) => deps.store.records(run),
    artefacts: async (run) => (await loadRead()).artefactsOf(deps, run),
    translator: async (lang) => (await loadTranslate()).createTranslator(deps.texts, lang),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    doctor: async (deep) => (await loadDoctor()).doctor(deps, deep),
    close: async () => {
      await Promise.all([...service.drives.values()].map((drive) => drive.close()));
      deps.store.close();
    },
  };
  return api;
}

function createService(deps: Deps, tell: Service['tell']): Service {
  const drives = new Map<RunId, LiveDrive>();
  let breakers: Breakers | undefined;
  const service: Service = {
    deps,
    drives,
    tell,
    alone: oneAtATime(),
    open: async (run, options) => (await loadOpenDrive()).openAlone(service, run, options),
    adopt: async (seed) => {
      const { createDrive } = await loadDrive();
      breakers ??= (await loadBreakers()).createBreakers(deps);
      const options = { opened_by: `run:${seed.id}`, attended: seed.attended };
      const openChild = (child: RunId) => service.open(child, options);
      // Does not remove a newer drive of the same run.
      const onClose = () => void (drives.get(seed.id) === drive && drives.delete(seed.id));
      const drive = createDrive(deps, { ...seed, tell, breakers, openChild, onClose });
      drives.set(seed.id, drive);
      return drive;
    },
  };
  return service;
}

function orderApi(deps: Deps): Pick<Api, 'takeOrder' | 'storeOrder' | 'handIn' | 'giveBack'> {
  return {
    takeOrder: async (worker, options) => (await loadWorkOrders()).takeOrder(deps, worker, options),
    storeOrder: async (token) => (await deps.orders()).keep(token),
    handIn: async (token, given) => (await loadWorkOrders()).handIn(deps, token, given),
    giveBack: async (token) => (await deps.orders()).giveBack(token),
  };
}

function knowledgeApi(deps: Deps): KnowledgeApi {
  return {
    recordDecision: async (input, by) => (await loadDecisions()).recordDecision(deps, input, by),
    supersedeDecision: async (input, by) => (await loadDecisions()).supersedeDecision(deps, input, by),
    linkDecision: async (ticket, id, by) => (await loadDecisions()).linkDecision(deps, ticket, id, by),
    decisions: async (query) => (await loadDecisions()).findDecisions(deps, query),
    decision: async (id) => (await loadDecisions()).showDecision(deps, id),
    ticketDecisions: async (ticket) => (await loadDecisions()).ticketDecisions(deps, ticket),
    trust: async () => (await loadSettings()).readTrust(deps),
    setTrust: async (level, by) => (await loadSettings()).changeSetting(deps, 'trust', level, by),
    projectMode: async () => (await loadSettings()).readMode(deps),
    setProjectMode: async (mode, by) => (await loadSettings()).changeSetting(deps, 'mode', mode, by),
    settingChanges: async (of) => (await loadSettings()).settingChanges(deps, of),
    project: async () => (await loadSettings()).readProject(deps),
  };
}

function ticketApi(service: Service): Omit<TicketApi, 'operate' | 'manageChildren'> {
  const { deps } = service;
  return {
    createTicket: async (input, by, script) => (await loadTickets()).createTicket(service, input, by, script),
    ticket: async (name, look) => (await loadTickets()).showTicket(deps, name, look),
    brief: async (name, lang) => (await loadTickets()).showBrief(deps, name, lang),
    tickets: async (query) => (await loadTickets()).listTickets(deps, query),
    children: async (name) => (await loadTickets()).childrenOf(deps, name),
    queue: async () => (await loadTicketQueue()).readQueue(deps),
    nextTicket: async () => (await loadTicketQueue()).nextTicket(deps),
    stats: async () => (await loadTicketStats()).readStats(deps),
  };
}

/** `resume` lifts a halt, unless the workflow itself waits for a `resume`. Every other command goes to the workflow. */
async function giveCommand(
  service: Service,
  id: RunId,
  given: Omit<Extract<Signal, { type: 'command' }>, 'type' | 'at'>,
): Promise<{ ok: true; run: RunId } | Rejection> {
  const { deps } = service;
  const { command, by } = given;
  const decide = (at: At): Input | Rejection => {
    const { run } = at;
    if (run.status === 'ended') return reject('run_ended', { run: id });
    const waits =
      run.step.kind === 'wait' && run.step.until.kind === 'command' ? run.step.until.commands : [];
    if (command === 'resume' && !waits.includes('resume')) {
      return run.halt ? { kind: 'resume' } : reject('wrong_moment', { run: id, command });
    }
    const signal = { type: 'command', ...given, at: deps.clock.now() } as const;
    return { kind: 'signal', signal, inbox: null };
  };
  // Earlier messages to the run are applied first, because the command may depend on them: they report a child that was
  // just created.
  await deliver(deps, id);
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  const drive = service.drives.get(id);
  // A command often comes just before its drive. Its effects are reported even without one.
  if (drive) drive.accept(applied);
  else (await loadReport()).reportChange({ id, tell: service.tell }, applied);
  return { ok: true, run: id };
}

/** The name of the person who gives a command, and their proof. */
function calledBy(by: string | Person): Pick<Extract<Signal, { type: 'command' }>, 'by' | 'proof'> {
  return typeof by === 'string' ? { by, proof: 'none' } : { by: by.person, proof: by.proof };
}

async function stopRun(
  service: Service,
  id: RunId,
  by: string,
): Promise<{ ok: true; run: RunId } | Rejection> {
  const { deps } = service;
  const decide = (at: At): Input | Rejection => {
    if (at.run.status === 'ended') return reject('run_ended', { run: id });
    if (at.run.halt) return reject('wrong_moment', { run: id }, { msg: 'engine.rejection.already_halted' });
    const why = { msg: 'engine.halt.stopped', args: { by } };
    return { kind: 'halt', halt: { kind: 'stopped', why, by } };
  };
  const applied = await apply(deps, id, { input: decide, context: (at) => unleased(deps, at, by) });
  if (isRejection(applied)) return applied;
  service.drives.get(id)?.accept(applied);
  return { ok: true, run: id };
}

async function findRun(deps: Deps, name: string): Promise<RunId | Rejection> {
  const [prefix = '', gate, ...rest] = name.split('.');
  // An empty name, from an unset variable of a script, must not match the only run.
  if (prefix === '' || gate === '' || rest.length > 0) return reject('no_such_run', { run: name });
  const found = await deps.store.findRuns(prefix);
  if (found.includes(prefix)) return prefix;
  const [only] = found;
  if (found.length === 1 && only) return only;
  return found.length === 0
    ? reject('no_such_run', { run: name })
    : reject('ambiguous', { name, found: found.join(', ') });
}

async function findGate(deps: Deps, name: string): Promise<Gate | Rejection> {
  const run = await findRun(deps, name);
  if (isRejection(run)) return run;
  if (name.includes('.')) {
    const id = `${run}.${name.split('.')[1]}` as GateId;
    return (await deps.store.gate(id)) ?? reject('no_such_gate', { gate: id });
  }
  const open = await deps.store.openGates(run);
  const [only] = open;
  if (open.length === 1 && only) return only;
  const found = open.map((gate) => gate.id).join(', ');
  return open.length === 0 ? reject('no_such_gate', { gate: name }) : reject('ambiguous', { name, found });
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
