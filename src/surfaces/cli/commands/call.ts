import { isRejection } from '../../../engine/rejection.ts';
import { badValueLines } from '../bad-value.ts';
import { type Context, type OpenContext, refuseAs, withApi } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { envLang } from '../words.ts';

/** Runs one operation for a program: JSON in, JSON out. Every surface uses the same table (CON-61). */
export async function call(context: Context): Promise<number> {
  const [operation = '', typed = '{}'] = context.values.positionals;
  const known = await context.deps.operations();
  if (!known.includes(operation)) {
    const lines = badValueLines('baton call', operation, known, context.words);
    return refuse(EXIT.usage, lines);
  }
  const input = parse(context, typed);
  return withApi(context, (open) => operate(open, operation, input), {
    create: CREATING.includes(operation),
    absent: () => refuse(EXIT.refused, [context.words('cli.nothing_here')]),
  });
}

/** Operations that may be the first use of a folder, so they may create the store. */
const CREATING = ['create_task', 'record_decision'];

function parse(context: Context, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : text;
    return refuse(EXIT.usage, [context.words('cli.ticket.not_json', { problem })]);
  }
}

async function operate(open: OpenContext, operation: string, input: unknown): Promise<number> {
  const { screen, api, deps } = open;
  const result = await api.operate(operation, input);
  // An operation has fields instead of options, so the refusal names them as they were sent.
  if (isRejection(result)) return refuseAs(result, await api.translator(envLang(deps.env)));
  if (screen.json) screen.printJson({ ok: true, result });
  else screen.line(JSON.stringify(result, null, 2));
  return EXIT.done;
}
