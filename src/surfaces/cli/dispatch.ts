import { AdapterError } from '../../engine/errors.ts';
import { type Context, fail, remedyFor } from './context.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfFailure } from './exit.ts';
import { parseArgs } from './parse-args.ts';
import { Refused } from './refused.ts';
import { createScreen } from './screen.ts';
import { envLang } from './words.ts';

/** Handles everything except the version: parses, runs the command, and turns an exception into an exit code. */
export async function dispatchCommand(argv: readonly string[], deps: CliDeps): Promise<number> {
  const flags = { json: argv.includes('--json'), color: !argv.includes('--no-color') };
  const wordsFor = await deps.words();
  const base = { deps, screen: createScreen(deps, flags), wordsFor, words: wordsFor(envLang(deps.env)) };
  try {
    return await dispatch(argv, base);
  } catch (error) {
    return onThrow(error, base);
  }
}

async function dispatch(argv: readonly string[], base: Omit<Context, 'values'>): Promise<number> {
  const { deps, words } = base;
  const parsed = parseArgs(argv, words);
  if (parsed.kind === 'help') {
    const { helpText } = await import('./help-text.ts');
    deps.stdout.write(helpText(parsed.definition, words, (deps.stdout.isTTY && deps.stdout.columns) || 80));
    return parsed.asked ? EXIT.done : EXIT.usage;
  }
  const { values, definition } = parsed;
  if (values.options.version) {
    deps.stdout.write(`${deps.version}\n`);
    return EXIT.done;
  }
  const command = await definition.load();
  const { json, 'no-color': plain } = values.options;
  const screen = createScreen(deps, { json: json === true, color: plain !== true });
  return command({ ...base, screen, values });
}

/** A failure of the world is shown in one line. For our own bug the stack trace goes to a file, never to the screen. */
async function onThrow(error: unknown, base: Omit<Context, 'values'>): Promise<number> {
  if (error instanceof Refused) return fail(base, error.exit, error.lines, error.more);
  const { words } = base;
  if (error instanceof AdapterError) {
    const { code, detail } = error.failure;
    return fail(
      base,
      exitOfFailure(code),
      [words('cli.world_failed', { code, detail }), ...remedyFor(words, code)],
      {
        code,
      },
    );
  }
  const path = await base.deps.storeTrace(error);
  const message = error instanceof Error ? error.message : String(error);
  return fail(base, EXIT.error, [
    words('cli.our_bug', { message }),
    ...(path ? [words('cli.trace_kept', { path })] : []),
  ]);
}
