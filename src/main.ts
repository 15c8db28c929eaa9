import { cliDeps } from './cli-deps.ts';
import { runCli } from './surfaces/cli/run-cli.ts';

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await runCli(process.argv.slice(2), cliDeps(process.cwd()));
// A hung worker or an open handle must not keep the command alive; what was printed is flushed first.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
