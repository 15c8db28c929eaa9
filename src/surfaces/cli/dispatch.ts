import { AdapterError } from '../../engine/errors.ts';
import { callerOf } from './caller.ts';
import { type Context, isSet, remedyFor } from './context.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfFailure, Refused } from './exit.ts';
import { parseArgs } from './parse-args.ts';
import { createScreen } from './screen.ts';
import { envLang } from './words.ts';

/** Handles everything except the version: parses, runs the command, and turns an exception into an exit code. */
export async function dispatchCommand(argv: readonly string[], deps: CliDeps): Promise<number> {
  const wordsFor = await deps.words();
  const words = wordsFor(envLang(deps.env));
  // Until the arguments are parsed, a flag counts wherever it is.
  let screen = createScreen(deps, { json: argv.includes('--json'), color: !argv.includes('--no-color') });
  try {
    const parsed = parseArgs(argv, words);
    if (parsed.kind === 'help') {
      const { helpText } = await import('./help-text.ts');
      deps.stdout.write(helpText(parsed.definition, words, (deps.stdout.isTTY && deps.stdout.columns) || 80));
      return parsed.asked ? EXIT.done : EXIT.usage;
    }
    const { values, definition } = parsed;
    if (isSet(parsed, 'version')) {
      deps.stdout.write(`${deps.version}\n`);
      return EXIT.done;
    }
    screen = createScreen(deps, { json: isSet(parsed, 'json'), color: !isSet(parsed, 'no-color') });
    const command = await definition.load();
    const bare = { deps, screen, values, wordsFor, words };
    return await command({ ...bare, caller: callerOf(bare) });
  } catch (error) {
    return onThrow(error, { deps, screen, words });
  }
}

type Printing = Pick<Context, 'deps' | 'screen' | 'words'>;

/** A failure of the world is shown in one line. For our own bug the stack trace goes to a file, never to the screen. */
async function onThrow(error: unknown, base: Printing): Promise<number> {
  if (error instanceof Refused) return printError(base, error);
  const { words } = base;
  if (error instanceof AdapterError) {
    const { code, detail } = error.failure;
    const lines = [words('cli.world_failed', { code, detail }), ...remedyFor(words, code)];
    return printError(base, new Refused(exitOfFailure(code), lines, { code }));
  }
  const path = await base.deps.storeTrace(error);
  const message = error instanceof Error ? error.message : String(error);
  const lines = [words('cli.our_bug', { message }), ...(path ? [words('cli.trace_stored', { path })] : [])];
  return printError(base, new Refused(EXIT.error, lines));
}

/** The first line names the thing. With `--json`, the whole error is one object on standard output. */
function printError({ screen, words }: Printing, { exit, lines, more }: Refused): number {
  if (screen.json) {
    const kind = exit === EXIT.usage ? 'usage' : exit === EXIT.refused ? 'refused' : 'error';
    screen.printJson({ ok: false, rejection: kind, message: lines.join('\n'), ...more, exit });
    return exit;
  }
  const [first = '', ...rest] = lines;
  screen.error([
    `${screen.paint('failed', words('cli.error'))}: ${first}`,
    ...rest.map((line) => `  ${line}`),
  ]);
  return exit;
}
