import type { AnswerInput, Person } from '../../contract/answer.ts';
import type { Draft } from '../../contract/gate.ts';
import type { GateId, Hash, RunId } from '../../contract/ids.ts';
import type { StoredKnowledge } from '../../contract/knowledge.ts';
import type { Changed, ShownDecision, SupersededDecision } from '../../contract/knowledge-views.ts';
import type { Caller, Needs, Subject } from '../../engine/operation.ts';
import type { TicketOperations } from '../../engine/operation-host.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import type { Service } from '../live.ts';
import type { Done, DriveHandle, Invocation, Receipt, StartOptions } from '../views.ts';

/** One call of an operation. `by` is what is recorded: the proven person, else the caller's name. */
interface Call<I> {
  readonly service: Service;
  readonly input: I;
  readonly caller: Caller;
  /** Set if the operation needs or notes a person, and the caller proved to be one. */
  readonly person: Person | null;
  readonly tickets: Pick<TicketOperations, 'findTicket'>;
}

export interface Row<I, O> {
  readonly needs: Needs | ((input: I, service: Service) => Needs | Promise<Needs>);
  readonly subject?: (input: I, service: Service) => Subject | Promise<Subject>;
  /** The name recorded if a worker tried it. Default: the name of the operation. */
  readonly command?: (input: I) => string;
  readonly run: (call: Call<I>) => Promise<O | Rejection>;
}

/** Ties the input of `needs`, `subject` and `run` together. */
function row<I, O>(definition: Row<I, O>): Row<I, O> {
  return definition;
}

const ofRun = ({ run }: { readonly run: RunId }): Subject => ({ run });

/** Every operation of the runtime that changes something, with what its caller needs. */
export const ROWS = {
  /** Creates a run. Its first step starts with `advance`. */
  start: row<StartRun, DriveHandle>({
    needs: 'not_a_worker',
    command: ({ workflow }) => workflow,
    subject: ({ input }) => aboutPath(input),
    run: async ({ service, input: { workflow, input, ...options }, caller }) => {
      const { startRun } = await import('../start-run.ts');
      return startRun(service, workflow, input, { ...options, opened_by: caller.name });
    },
  }),
  /**
   * Takes the lease, or rejects with its holder. An invocation opens a new drive. Without one, the open drive
   * continues. A child whose parent waits for it is driven from the parent, so the parent is opened. Handing gates over
   * needs a person (CON-116).
   */
  open: row<OpenRun, DriveHandle>({
    needs: ({ invocation }) => (delegates(invocation) ? 'person' : 'not_a_worker'),
    subject: ofRun,
    command: ({ invocation }) => (invocation ? 'drive' : 'resume'),
    run: async ({ service, input: { run, attended, invocation }, caller, person }) => {
      const { openDrive } = await import('../open-drive.ts');
      const invoked = invocation && { ...invocation, ...(person ? { person } : {}) };
      return openDrive(service, run, { opened_by: caller.name, attended, invocation: invoked });
    },
  }),
  /** Lifts a halt (`resume`), or sends one of the workflow's own commands. The workflow says what each needs. */
  command: row<GiveCommand, Done>({
    needs: async ({ run, command, args }, { deps }) => {
      if (command === 'resume') return 'not_a_worker';
      const found = await deps.store.load(run);
      const def = found && (await deps.workflow(found.workflow));
      return def?.needs?.(command, args ?? {}) ?? 'person';
    },
    subject: ofRun,
    command: ({ command, args = {} }) => {
      const given = Object.keys(args).filter((name) => String(args[name] ?? '') !== '');
      return given.length === 0 ? command : `${command} (${given.join(', ')})`;
    },
    run: async ({ service, input: { run, command, args = {} }, caller, person }) => {
      const { giveCommand } = await import('../give-command.ts');
      const by = person ? person.person : caller.name;
      return giveCommand(service, run, { command, by, proof: person?.proof ?? 'none', args });
    },
  }),
  /** Switches the run to another agent. Agents and roles are read again from baton.yaml. */
  changeAgent: row<ChangeAgent, Done>({
    needs: 'person',
    subject: ofRun,
    command: () => 'resume --agent',
    run: async ({ service, input: { run, agent }, caller, person }) => {
      const { changeAgent } = await import('../change-agent.ts');
      return changeAgent(service, run, { agent, by: person?.person ?? caller.name });
    },
  }),
  /** Halts the run at its current step. Running workers are ended, an outside write that has started is not. */
  stop: row<{ readonly run: RunId }, Done>({
    needs: 'not_a_worker',
    subject: ofRun,
    run: async ({ service, input: { run }, caller }) =>
      (await import('../give-command.ts')).stopRun(service, run, caller.name),
  }),
  answer: row<GiveAnswer, Receipt>({
    needs: 'person',
    subject: ({ gate, answer }) => ({
      run: gate.slice(0, gate.lastIndexOf('.g')),
      gate,
      digest: answer.digest,
    }),
    run: async ({ service, input: { gate, answer, drive }, caller, person }) => {
      const { answerGate } = await import('../answer-gate.ts');
      const options = drive ? { opened_by: caller.name, ...drive } : null;
      return asPerson(person, (by) => answerGate(service, gate, answer, { by, options }));
    },
  }),
  /** Stores what was typed so far. False if the gate is no longer open under this digest. */
  storeDraft: row<StoreDraft, boolean>({
    needs: 'not_a_worker',
    subject: ({ gate }) => ({ run: gate.slice(0, gate.lastIndexOf('.g')), gate }),
    command: () => 'answer',
    run: async ({ service, input: { gate, digest, draft } }) =>
      service.deps.store.storeDraft(gate, digest, draft),
  }),
  /** Permits to remove everything Baton left for the repository, which is outside the store. */
  permitRemoval: row<object, { readonly ok: true }>({
    needs: 'person',
    command: () => 'clean',
    run: async () => ({ ok: true }),
  }),

  /** Takes the fields of CON-94 without the id. A title that is already taken is refused. */
  recordDecision: row<unknown, StoredKnowledge>({
    needs: 'person',
    command: () => 'decisions record',
    run: async ({ service, input, person }) => {
      const { recordDecision } = await import('../decisions.ts');
      return asPerson(person, (by) => recordDecision(service.deps, input, by));
    },
  }),
  /** `{ id }` retires the entry, `{ id, type, title, body, domains }` replaces it with a successor (CON-95). */
  supersedeDecision: row<unknown, SupersededDecision>({
    needs: 'person',
    command: () => 'decisions supersede',
    run: async ({ service, input, person }) => {
      const { supersedeDecision } = await import('../decisions.ts');
      return asPerson(person, (by) => supersedeDecision(service.deps, input, by));
    },
  }),
  /** Records that the ticket depends on the entry. A repeated call changes nothing. */
  linkDecision: row<{ readonly ticket: string; readonly id: string }, ShownDecision>({
    needs: 'person',
    command: () => 'decisions link',
    run: async ({ service, input: { ticket, id }, person, tickets }) => {
      const run = await tickets.findTicket(ticket);
      if (isRejection(run)) return run;
      const { linkDecision } = await import('../decisions.ts');
      return asPerson(person, (by) => linkDecision(service.deps, run, id, by));
    },
  }),
  setTrust: row<{ readonly level: string }, Changed>({
    needs: 'person',
    subject: ({ level }) => ({ target: level }),
    command: () => 'trust',
    run: async ({ service, input: { level }, person }) => {
      const { changeSetting } = await import('../settings.ts');
      return asPerson(person, (by) => changeSetting(service.deps, 'trust', level, by));
    },
  }),
  setProjectMode: row<{ readonly mode: string }, Changed>({
    needs: 'person',
    subject: ({ mode }) => ({ target: mode }),
    command: () => 'project',
    run: async ({ service, input: { mode }, person }) => {
      const { changeSetting } = await import('../settings.ts');
      return asPerson(person, (by) => changeSetting(service.deps, 'mode', mode, by));
    },
  }),
};

interface StartRun extends Omit<StartOptions, 'opened_by'> {
  readonly workflow: string;
  readonly input: unknown;
}

interface OpenRun {
  readonly run: RunId;
  /** This process stays and shows gates. */
  readonly attended: boolean;
  readonly invocation?: Omit<Invocation, 'person'> | undefined;
}

interface GiveCommand {
  readonly run: RunId;
  readonly command: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

interface ChangeAgent {
  readonly run: RunId;
  readonly agent: string;
}

interface GiveAnswer {
  readonly gate: GateId;
  readonly answer: AnswerInput;
  /** Drives the run on from the commit of the answer. Absent: the answer is only recorded. */
  readonly drive?: { readonly attended: boolean } | undefined;
}

interface StoreDraft {
  readonly gate: GateId;
  readonly digest: Hash;
  readonly draft: Draft;
}

/** A run about a file is named by it. */
function aboutPath(input: unknown): Subject {
  const { path } = (input ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? { target: path } : {};
}

function delegates(invocation: OpenRun['invocation']): boolean {
  return invocation !== undefined && invocation.mode !== 'controlled';
}

function asPerson<T>(person: Person | null, use: (by: Person) => Promise<T>): Promise<T | Rejection> {
  return person ? use(person) : Promise.resolve(reject('not_a_person'));
}
