import { isRejection, reject } from '../../src/engine/rejection.ts';
import { TICKET_OPERATIONS } from '../../src/workflows/conduct/operations.ts';
import { WORKER } from '../support/caller.ts';
import { type Lab, TESTER } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { CLI, ticketLabs } from '../support/ticket-lab.ts';
import { type OperationReply, type OperationsClient, operationsConformance } from './operations.ts';

const open = ticketLabs();

const service = (lab: Lab): OperationsClient => {
  const as = (caller: typeof CLI) => async (operation: string, input: unknown) => {
    const result = await lab.api.as(caller).operate(operation, input);
    if (!isRejection(result)) return { ok: true as const, result: JSON.parse(JSON.stringify(result)) };
    const t = await lab.api.translator('en');
    return { ok: false as const, rejection: result.rejection, message: t(result.message) };
  };
  return { call: as(CLI), asWorker: as(WORKER) };
};

/** As a program calls it: JSON typed, JSON printed. */
const commandLine = (lab: Lab): OperationsClient => {
  const as = (options: Parameters<typeof say>[1]) => async (operation: string, input: unknown) => {
    const { out } = await say(lab, options, 'call', operation, JSON.stringify(input), '--json');
    const told = JSON.parse(out.trim().split('\n').at(-1) ?? '') as OperationReply;
    return told.ok ? told : { ok: false as const, rejection: told.rejection, message: told.message };
  };
  const env = { USER: 'tess' };
  const refused = reject('not_a_person', { call_id: 'B-1/1' });
  return {
    call: as({ env, person: { ...TESTER, surface: 'cli' } }),
    asWorker: as({ env, refused, person: refused }),
  };
};

operationsConformance(Object.keys(TICKET_OPERATIONS), {
  'the service': async () => service(await open()),
  'the command line': async () => commandLine(await open()),
});
