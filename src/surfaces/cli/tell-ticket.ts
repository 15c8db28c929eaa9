import type { Api } from '../../runtime/api.ts';
import { type Context, failMarked, orFailPerson, userName } from './context.ts';
import { orFailTicket, showDone, ticketWords } from './ticket-screen.ts';

interface Order {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** A decision: only a person who proved to be one gives it. */
  readonly person?: boolean;
}

/** Gives a ticket one command, never for a worker (INV-17), and shows it as it is then. */
export async function tell(context: Context, api: Api, name: string, order: Order): Promise<number> {
  const run = await orFailTicket(context, api, await api.findTicket(name));
  if ('exit' in run) return run.exit;
  const asked = { command: `ticket ${context.values.positionals[0] ?? ''}`, run: run.value };
  const by = await whoTells(context, api, asked, order.person === true);
  if ('exit' in by) return by.exit;
  const done = await orFailTicket(
    context,
    api,
    await api.command(run.value, order.command, by.value, order.args),
  );
  if ('exit' in done) return done.exit;
  const after = await orFailTicket(context, api, await api.ticket(run.value));
  if ('exit' in after) return after.exit;
  return showDone(context, after.value, ticketWords(context).changed(run.value));
}

async function whoTells(
  context: Context,
  api: Api,
  asked: { readonly command: string; readonly run: string },
  decides: boolean,
): Promise<{ readonly value: string } | { readonly exit: number }> {
  if (decides) {
    const person = await orFailPerson(context, api, asked);
    return 'exit' in person ? person : { value: person.value.person };
  }
  const marked = await failMarked(context, api, asked);
  return marked === null ? { value: userName(context.deps) } : { exit: marked };
}
