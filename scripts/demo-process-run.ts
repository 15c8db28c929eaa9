import { cliDeps } from '../src/cli-deps.ts';
import { runCli } from '../src/surfaces/cli/run-cli.ts';

// One process of the demo: the shipped command line, with a composition of the demo's own in which the person is
// named `demo`. Nothing in src reads this; the shipped composition knows no such person.
const [columns, ...argv] = process.argv.slice(2);
const deps = cliDeps(process.cwd());
const code = await runCli(argv, {
  ...deps,
  stdout: { ...deps.stdout, isTTY: false, columns: Number(columns) },
  person: async () => ({ person: 'demo', surface: 'demo', proof: 'composition' }),
  // The demo prints each gate before it answers.
  seen: { ...deps.seen, has: async () => true },
});
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
