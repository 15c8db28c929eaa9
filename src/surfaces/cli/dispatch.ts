import { AdapterError } from '../../engine/errors.ts';
import { type Command, type Context, fail, remedyFor, type Values } from './context.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfFailure } from './exit.ts';
import { envLang, wordsFor } from './messages.ts';
import { createScreen } from './screen.ts';

/** Handles everything except the version: parses, runs the command, and turns an exception into an exit code. */
export async function dispatchCommand(argv: readonly string[], deps: CliDeps): Promise<number> {
  const flags = { json: argv.includes('--json'), color: !argv.includes('--no-color') };
  const screen = createScreen(deps, flags);
  try {
    return await dispatch(argv, { deps, screen });
  } catch (error) {
    return onThrow(error, { deps, screen });
  }
}

async function dispatch(argv: readonly string[], base: Omit<Context, 'values'>): Promise<number> {
  const plain = parsePlain(argv);
  if (plain) return (await plain.load())({ ...base, values: plain.values });
  const { parseArgs } = await import('./parse-args.ts');
  const { COMMANDS } = await import('./command-table.ts');
  const parsed = await parseArgs(argv, envLang(base.deps.env));
  if (parsed.kind === 'usage') return fail(base, EXIT.usage, parsed.lines);
  if (parsed.kind === 'help') {
    base.deps.stdout.write(parsed.text);
    return parsed.asked ? EXIT.done : EXIT.usage;
  }
  if (parsed.values.options.version === true) {
    base.deps.stdout.write(`${base.deps.version}\n`);
    return EXIT.done;
  }
  const definition = COMMANDS.find((command) => command.name === parsed.name);
  if (!definition) throw new Error(`no command ${parsed.name}`);
  const command = await definition.load();
  const { json, color } = parsed.values.options;
  const screen = createScreen(base.deps, { json: json === true, color: color !== false });
  return command({ deps: base.deps, screen, values: parsed.values });
}

interface PlainForm {
  readonly least: number;
  readonly most: number;
  /** Options without a value that the command takes besides `--json` and `--no-color`. */
  readonly flags: readonly string[];
  readonly load: () => Promise<Command>;
}

/** Frequent commands that should respond at once. */
const PLAIN: Readonly<Record<string, PlainForm>> = {
  status: { least: 0, most: 1, flags: [], load: async () => (await import('./commands/status.ts')).status },
  answer: {
    least: 1,
    most: 2,
    flags: ['--no-drive', '--no-input'],
    load: async () => (await import('./commands/answer.ts')).answer,
  },
};

/** Parses a frequent command in its plain form, without loading the parser. Null for everything else. */
function parsePlain(argv: readonly string[]): { load: PlainForm['load']; values: Values } | null {
  const [first = '', ...rest] = argv;
  const form = Object.hasOwn(PLAIN, first) ? PLAIN[first] : undefined;
  if (!form) return null;
  const positionals = rest.filter((arg) => !arg.startsWith('-'));
  const flags = rest.filter((arg) => arg.startsWith('-'));
  const known = [...form.flags, '--json', '--no-color'];
  const fits = positionals.length >= form.least && positionals.length <= form.most;
  if (!fits || !flags.every((flag) => known.includes(flag))) return null;
  const options = known.map((flag) => {
    const given = flags.includes(flag);
    return flag.startsWith('--no-') ? [flag.slice('--no-'.length), !given] : [flag.slice(2), given];
  });
  return { load: form.load, values: { positionals, options: Object.fromEntries(options) } };
}

/** A failure of the world is shown in one line. For our own bug the stack trace goes to a file, never to the screen. */
async function onThrow(error: unknown, base: Omit<Context, 'values'>): Promise<number> {
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
