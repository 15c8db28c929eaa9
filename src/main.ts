import { cliDeps } from './cli-deps.ts';
import { closeInherited } from './close-inherited.ts';
import { runCli } from './surfaces/cli/run-cli.ts';

closeInherited();

// A closed reader or terminal (`| head`, a closed window) is not an error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
});

// A command uses each schema once or twice. Compiling a validator for it costs more than it saves (4 ms an answer).
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

// Exit code if the event loop runs empty before the command has ended. That must not look like success.
process.exitCode = 13;
void runCli(process.argv.slice(2), cliDeps(workingFolder())).then((code) => {
  // A hung worker or an open handle must not keep the command alive. The printed output is flushed first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
});

/** Node throws if the working directory was deleted. The old path then leads to an error message that names it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '.';
  }
}
