import type { CliDeps } from './deps.ts';

/**
 * The command line: parses the input, calls the API and returns the exit code. It
 * never ends the process and writes only through `deps`. The caller sets the exit
 * code after this resolves. The version is printed before anything else is loaded.
 */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  if (['--version', '-v', 'version'].includes(argv[0] ?? '')) {
    deps.stdout.write(`${deps.version}\n`);
    return 0;
  }
  const { dispatchCommand } = await import('./dispatch.ts');
  return dispatchCommand(argv, deps);
}
