import { cliDeps } from './cli-deps.ts';
import { runCli } from './surfaces/cli/run-cli.ts';

// A reader or terminal that went away (`| head`, a closed window) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
});

// A command reads each schema once or twice: making a validator for it costs more than it saves (4 ms an answer).
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

// Nothing is left to do and still there was no end: that must not look like success.
process.exitCode = 13;
void runCli(process.argv.slice(2), cliDeps(process.cwd())).then((code) => {
  // A hung worker or an open handle must not keep the command alive; what was printed is flushed first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
});
