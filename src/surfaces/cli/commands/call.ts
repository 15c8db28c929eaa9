import { isRejection } from '../../../engine/rejection.ts';
import type { Api } from '../../../runtime/api.ts';
import { OPERATION_NAMES } from '../../../runtime/operations.ts';
import type { Caller } from '../../../runtime/ticket-api.ts';
import { badValueLines } from '../bad-value.ts';
import { type Context, fail, failRejected, localWords, userName, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { envLang } from '../messages.ts';
import { ticketWords } from '../ticket-screen.ts';

/** One operation as programs call it: JSON in, JSON out. The same table stands behind every surface (CON-61). */
export async function call(context: Context): Promise<number> {
  const [operation = '', typed = '{}'] = context.values.positionals;
  if (!OPERATION_NAMES.includes(operation)) {
    const lines = badValueLines('baton call', operation, OPERATION_NAMES, localWords(context));
    return fail(context, EXIT.usage, lines);
  }
  const input = parsed(typed);
  if ('problem' in input) return fail(context, EXIT.usage, [ticketWords(context).not_json(input.problem)]);
  return withApi(
    context,
    CREATING.includes(operation),
    (api) => operate(context, api, operation, input.value),
    () => fail(context, EXIT.refused, [localWords(context).nothing_here]),
  );
}

/** What may be the first thing in a folder. */
const CREATING = ['create_task', 'record_decision'];

function parsed(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : text };
  }
}

async function operate(context: Context, api: Api, operation: string, input: unknown): Promise<number> {
  const { screen } = context;
  const result = await api.operate(operation, input, callerOf(context));
  // An operation has fields and no options: they are named as they were sent.
  if (isRejection(result))
    return failRejected(context, result, await api.translator('conduct', envLang(context.deps.env)));
  if (screen.json) screen.printJson({ ok: true, result });
  else screen.line(JSON.stringify(result, null, 2));
  return EXIT.done;
}

function callerOf({ deps }: Context): Caller {
  return {
    name: userName(deps),
    surface: 'cli',
    refuseMarked: () => deps.refuseMarked(),
    person: () => deps.person(),
  };
}
