import type { GateAgreement } from '../../../runtime/ticket-api.ts';
import { type Context, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { showRows } from '../stop-blocks.ts';

/** Shows for each gate how well the shadow judge would have chosen where to pause. */
export async function stats(context: Context): Promise<number> {
  return withApi(
    context,
    false,
    async (api) => showStats(context, await api.stats()),
    () => showStats(context, []),
  );
}

function showStats(context: Context, gates: readonly GateAgreement[]): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson(gates);
  screen.text(gates.length === 0 ? words('cli.ticket.no_stats') : words('cli.ticket.stats_head'));
  showRows(
    screen,
    gates.map((one): [string, string] => [one.gate, words('cli.ticket.stats', { ...one })]),
  );
  return EXIT.done;
}
