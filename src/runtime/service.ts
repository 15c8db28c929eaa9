import type { Gate } from '../contract/gate.ts';
import type { GateId, RunId } from '../contract/ids.ts';
import { oneAtATime } from '../engine/one-at-a-time.ts';
import type { Caller } from '../engine/operation.ts';
import type { OperationHost, TicketOperations } from '../engine/operation-host.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { ticketKey } from '../engine/ticket-id.ts';
import type { Api } from './api.ts';
import type { Breakers } from './breakers.ts';
import type { Deps } from './deps.ts';
import type { LiveDrive } from './drive.ts';
import type { Service } from './live.ts';
import { loadRun } from './load.ts';
import { decidingOn, type Permit, permit } from './operations/permit.ts';
import { ROWS, type Row } from './operations/rows.ts';
import type { Progress } from './views.ts';

// Loaded once, so that a call does not go through the module loader again.
const loadBreakers = once(() => import('./breakers.ts'));
const loadDrive = once(() => import('./drive.ts'));
const loadOpenDrive = once(() => import('./open-drive.ts'));
const loadWorkOrders = once(() => import('./work-orders.ts'));
const loadOperate = once(() => import('./operations/operate.ts'));
const loadDecisions = once(() => import('./decisions.ts'));
const loadSettings = once(() => import('./settings.ts'));
const loadWatch = once(() => import('./watch.ts'));
const loadAnnounce = once(() => import('./announce.ts'));
const loadRead = once(() => import('./read.ts'));
const loadTranslate = once(() => import('./translate.ts'));
const loadDoctor = once(() => import('./doctor.ts'));

/**
 * The service that every surface calls. Modules that drive runs, render text or check input are loaded on first use. A
 * listing must cost little more than the start of Node.
 */
export function createApi(deps: Deps, caller: Caller): Api {
  const listeners = new Set<(progress: Progress) => void>();
  const service = createService(deps, (progress) => {
    for (const listener of listeners) listener(progress);
  });
  const reads: Reads = {
    ...readsOf(deps),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await Promise.all([...service.drives.values()].map((drive) => drive.close()));
      deps.store.close();
    },
  };
  return bind(service, reads, caller);
}

/** Binds the operations to a caller. */
function bind(service: Service, reads: Reads, caller: Caller): Api {
  const tickets = ticketsOf(service.deps, () => hostOf(service.deps, api));
  const operations = Object.keys(ROWS).map((name) => {
    const row = rowOf(name);
    const run = async (input: unknown) => {
      const allowed = await check(service, name, input, caller);
      return isRejection(allowed)
        ? allowed
        : row.run({ service, input, caller, person: allowed.person, tickets });
    };
    return [name, run];
  });
  const api: Api = {
    ...reads,
    ...(Object.fromEntries(operations) as Operations),
    ...tickets,
    ticketDecisions: async (ticket) => {
      const run = await tickets.findTicket(ticket);
      return isRejection(run) ? run : service.deps.store.ticketKnowledge(run);
    },
    operate: async (operation, input) => {
      const { deps } = service;
      const operations = await deps.operations();
      const hostFor = (other: Caller) => hostOf(deps, bind(service, reads, other));
      return (await loadOperate()).operate({ deps, operations, hostFor }, { operation, input, caller });
    },
    may: async (name, input) => {
      const allowed = await check(service, name, input, caller);
      return isRejection(allowed) ? allowed : { ok: true };
    },
    as: (other) => bind(service, reads, other),
  };
  return api;
}

/** Tickets of the workflow that has them, loaded on first use. */
function ticketsOf(deps: Deps, host: () => OperationHost): TicketOperations {
  const tickets = async () => (await deps.operations()).tickets(host());
  return {
    findTicket: async (name) => (await tickets()).findTicket(name),
    createTicket: async (input) => (await tickets()).createTicket(input),
    ticket: async (name, look) => (await tickets()).ticket(name, look),
    brief: async (name, lang) => (await tickets()).brief(name, lang),
    tickets: async (query) => (await tickets()).tickets(query),
    queue: async () => (await tickets()).queue(),
    nextTicket: async () => (await tickets()).nextTicket(),
    children: async (name) => (await tickets()).children(name),
    manageChildren: async (name, change) => (await tickets()).manageChildren(name, change),
    stats: async () => (await tickets()).stats(),
  };
}

/** The service as operations of workflows use it. */
export function hostOf(deps: Deps, api: Api): OperationHost {
  const { store } = deps;
  return {
    ...api,
    key: async () => ticketKey(await deps.policy()),
    workflowOf: async (run) => (await store.load(run))?.workflow ?? null,
    states: (workflow) => store.states(workflow),
    load: async (run) => {
      const loaded = await loadRun(deps, run);
      return isRejection(loaded) ? loaded : loaded.at.run;
    },
    records: (run, kind, name) => store.records(run, kind, name),
    create: async (workflow, input, script) => {
      const options = { agent: null, script, in_place: false, unattended: false, attended: false };
      const drive = await api.start({ workflow, input, ...options });
      if (isRejection(drive)) return drive;
      await drive.close();
      return drive.run;
    },
  };
}

/** Checks whether the caller may run the operation. */
async function check(
  service: Service,
  name: string,
  input: unknown,
  caller: Caller,
): Promise<Permit | Rejection> {
  const { needs, subject, command } = rowOf(name);
  return permit(service.deps, caller, {
    needs: typeof needs === 'function' ? await needs(input, service) : needs,
    subject: (await subject?.(input, service)) ?? {},
    command: command?.(input) ?? name,
  });
}

function rowOf(name: string): Row<unknown, unknown> {
  return ROWS[name as keyof typeof ROWS] as Row<unknown, unknown>;
}

type Operations = Pick<Api, keyof typeof ROWS>;
type Reads = Omit<
  Api,
  keyof Operations | keyof TicketOperations | 'operate' | 'may' | 'as' | 'ticketDecisions'
>;

function readsOf(deps: Deps): Omit<Reads, 'onProgress' | 'close'> {
  return {
    takeOrder: async (worker, options) => (await loadWorkOrders()).takeOrder(deps, worker, options),
    storeOrder: async (token) => (await deps.orders()).keep(token),
    handIn: async (token, given) => (await loadWorkOrders()).handIn(deps, token, given),
    giveBack: async (token) => (await deps.orders()).giveBack(token),
    decisions: async (query) => (await loadDecisions()).findDecisions(deps, query),
    decision: async (id) => (await loadDecisions()).showDecision(deps, id),
    trust: async () => (await loadSettings()).readTrust(deps),
    projectMode: async () => (await loadSettings()).readMode(deps),
    settingChanges: async (of) => (await loadSettings()).settingChanges(deps, of),
    project: async () => (await loadSettings()).readProject(deps),
    announce: async (run, what) => (await loadAnnounce()).announce(deps, run, what),
    deciding: (subject) => decidingOn(deps, subject),
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
    translator: async (lang) =>
      (await loadTranslate()).createTranslator(deps.surfaceTexts ?? deps.texts, lang),
    doctor: async (deep) => (await loadDoctor()).doctor(deps, deep),
  };
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
