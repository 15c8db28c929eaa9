import { AdapterError } from '../../engine/errors.ts';
import { type Context, fail, remedyFor } from './context.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfFailure } from './exit.ts';
import { envLang, wordsFor } from './messages.ts';
import { parseArgs } from './parse-args.ts';
import { Refused } from './refused.ts';
import { createScreen } from './screen.ts';

/** Handles everything except the version: parses, runs the command, and turns an exception into an exit code. */
export async function dispatchCommand(argv: readonly string[], deps: CliDeps): Promise<number> {
  const flags = { json: argv.includes('--json'), color: !argv.includes('--no-color') };
  const base = { deps, screen: createScreen(deps, flags) };
  try {
    return await dispatch(argv, base);
  } catch (error) {
    return onThrow(error, base);
  }
}

async function dispatch(argv: readonly string[], { deps }: Omit<Context, 'values'>): Promise<number> {
  const lang = envLang(deps.env);
  const parsed = parseArgs(argv, lang);
  if (parsed.kind === 'help') {
    const { helpText } = await import('./help-text.ts');
    deps.stdout.write(helpText(parsed.definition, lang, (deps.stdout.isTTY && deps.stdout.columns) || 80));
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
  return command({ deps, screen, values });
}

/** A failure of the world is shown in one line. For our own bug the stack trace goes to a file, never to the screen. */
async function onThrow(error: unknown, base: Omit<Context, 'values'>): Promise<number> {
  if (error instanceof Refused) return fail(base, error.exit, error.lines, error.more);
  const words = wordsFor(envLang(base.deps.env));
  if (error instanceof AdapterError) {
    const { code, detail } = error.failure;
    return fail(base, exitOfFailure(code), [words.world_failed(code, detail), ...remedyFor(words, code)], {
      code,
    });
  }
  const path = await base.deps.storeTrace(error);
  const message = error instanceof Error ? error.message : String(error);
  return fail(base, EXIT.error, [words.our_bug(message), ...(path ? [words.trace_kept(path)] : [])]);
}
