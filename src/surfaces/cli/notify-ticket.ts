import type { Person } from '../../contract/answer.ts';
import { isRejection } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';
import { type Context, failWorker, userName } from './context.ts';
import { decidingTask, orFailPerson } from './proof.ts';
import { orFailTicket, showDone } from './ticket-screen.ts';

interface Order {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The command is a decision, so it needs proof of a person. */
  readonly person?: boolean;
}

/** Sends one command to a ticket, never for a worker (INV-17), and shows the ticket afterwards. */
export async function tell(context: Context, api: Api, name: string, order: Order): Promise<number> {
  const run = await orFailTicket(context, api, await api.findTicket(name));
  if ('exit' in run) return run.exit;
  const asked = { command: `ticket ${context.values.positionals[0] ?? ''}`, run: run.value };
  const by = await notifier(context, api, asked, order.person === true);
  if ('exit' in by) return by.exit;
  const done = await orFailTicket(
    context,
    api,
    await api.command(run.value, order.command, by.value, order.args),
  );
  if ('exit' in done) return done.exit;
  const after = await orFailTicket(context, api, await api.ticket(run.value));
  if ('exit' in after) return after.exit;
  return showDone(context, after.value, context.words('cli.ticket.changed', { id: run.value }));
}

async function notifier(
  context: Context,
  api: Api,
  asked: { readonly command: string; readonly run: string },
  decides: boolean,
): Promise<{ readonly value: string | Person } | { readonly exit: number }> {
  if (decides) return orFailPerson(context, api, asked);
  const refused = await failWorker(context, api, asked);
  if (refused !== null) return { exit: refused };
  const person = await context.deps.person(await decidingTask(api, asked.run));
  return { value: isRejection(person) ? userName(context.deps) : person };
}
