import { isRejection } from '../../../engine/rejection.ts';
import type { Api } from '../../../runtime/api.ts';
import { OPERATION_NAMES } from '../../../runtime/operations.ts';
import type { Caller } from '../../../runtime/ticket-api.ts';
import { badValueLines } from '../bad-value.ts';
import { type Context, fail, failRejected, userName, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { decidingTask } from '../proof.ts';
import { envLang } from '../words.ts';

/** Runs one operation for a program: JSON in, JSON out. Every surface uses the same table (CON-61). */
export async function call(context: Context): Promise<number> {
  const [operation = '', typed = '{}'] = context.values.positionals;
  if (!OPERATION_NAMES.includes(operation)) {
    const lines = badValueLines('baton call', operation, OPERATION_NAMES, context.words);
    return fail(context, EXIT.usage, lines);
  }
  const input = parsed(typed);
  if ('problem' in input)
    return fail(context, EXIT.usage, [context.words('cli.ticket.not_json', { problem: input.problem })]);
  return withApi(
    context,
    CREATING.includes(operation),
    (api) => operate(context, api, operation, input.value),
    () => fail(context, EXIT.refused, [context.words('cli.nothing_here')]),
  );
}

/** Operations that may be the first use of a folder, so they may create the store. */
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
  const result = await api.operate(operation, input, callerOf(context, api));
  // An operation has fields instead of options, so the refusal names them as they were sent.
  if (isRejection(result))
    return failRejected(context, result, await api.translator(envLang(context.deps.env)));
  if (screen.json) screen.printJson({ ok: true, result });
  else screen.line(JSON.stringify(result, null, 2));
  return EXIT.done;
}

function callerOf({ deps }: Context, api: Api): Caller {
  return {
    name: userName(deps),
    surface: 'cli',
    refuseWorker: () => deps.refuseWorker(),
    person: async (task) => deps.person(await decidingTask(api, task)),
  };
}
