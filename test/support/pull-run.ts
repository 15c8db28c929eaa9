import { openPullLab } from './pull-lab.ts';

/** A Baton that drives a probe with an outside worker until it is killed: `pull-run.ts <root> <home>`. */
const [root = '', home = ''] = process.argv.slice(2);
const lab = await openPullLab({ root, home });
const drive = await lab.start('probe', { script: [{ do: 'work', roles: ['alpha'] }] });
process.stdout.write(`${drive.run}\n`);
await drive.advance();
