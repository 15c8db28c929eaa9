import { isRejection } from '../../engine/rejection.ts';
import type { DriveDeps } from './drive.ts';
import { speak } from './voice.ts';

/**
 * Shows where the run began and ended, in the words of its workflow (CON-104, 115). If `began` is null, it uses the
 * state in which the drive began.
 */
export async function showRunEnd(drive: DriveDeps, run: string, began: string | null): Promise<void> {
  const { screen, api } = drive;
  const view = await api.view(run);
  if (screen.json || isRejection(view)) return;
  const { t } = await speak(drive, view);
  for (const line of await api.announce(run, { kind: 'end', began })) screen.text(t(line), '  ');
}
