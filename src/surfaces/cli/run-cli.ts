import type { CliDeps } from './deps.ts';

/**
 * The command line: reads what was typed, calls the API, gives the exit code back. Never ends the process and never
 * writes but through `deps`; the caller sets the exit code when this resolves. The version is answered before
 * anything else is loaded.
 */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  if (['--version', '-v', 'version'].includes(argv[0] ?? '')) {
    deps.stdout.write(`${deps.version}\n`);
    return 0;
  }
  const { dispatchCommand } = await import('./dispatch.ts');
  return dispatchCommand(argv, deps);
}
