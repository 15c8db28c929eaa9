import { openLab } from './ground.ts';
import { INPUT, playOn } from './play.ts';

/** One life of the product with a real agent: `life <project> <state>`; starts the run, or goes on with the one there is. */
const [root = '', home = ''] = process.argv.slice(2);
const lab = await openLab({ root, home }, process.env as Record<string, string>);
const [known] = await lab.api.list(true);
const drive = known ? await resume(known.id) : await lab.start('deliver', INPUT);
const rest = await playOn(lab, drive);
process.stdout.write(
  `${JSON.stringify({ run: rest.run, outcome: rest.outcome, gate: rest.gate?.name ?? null })}\n`,
);
await drive.close();
await lab.close();

async function resume(run: string) {
  const opened = await lab.api.open({ run, attended: false });
  if ('rejection' in opened) throw new Error(JSON.stringify(opened));
  return opened;
}
