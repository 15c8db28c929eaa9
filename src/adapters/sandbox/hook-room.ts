import type { HookRoom } from '../../ports/hook-room.ts';
import { makeCaches } from './package-caches.ts';
import { bwrapOf, roomEnvironment, roomFlags, type Surroundings } from './room.ts';

/** Variables of the person's environment that hooks get. */
const ENVIRONMENT = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'TZ', 'NO_COLOR'],
  ...['BATON_WORKSPACE'],
];

/**
 * Commit hooks execute files of the change, so they run like a check of `run`: in the room, without network and keys.
 * When the first process of the room ends, everything left in the room ends. The room also ends when we do.
 */
export function hookRoom(
  surroundings: () => Promise<Surroundings>,
  person: Readonly<Record<string, string | undefined>>,
  run: string | null,
): HookRoom {
  const cache = run === null ? null : ({ of: 'checks', run } as const);
  const env = Object.fromEntries(ENVIRONMENT.flatMap((name) => (person[name] ? [[name, person[name]]] : [])));
  return async ({ cwd, writes, hides, shows }) => {
    const at = await surroundings();
    if (cache) await makeCaches(at.cache, cache);
    const room = { own: true, writes: true, programs: [], show: shows, write: writes, network: false, cache };
    return (argv) => ({
      argv: [
        ...[bwrapOf(at), '--die-with-parent', ...roomFlags({ argv, cwd, env, room }, at)],
        ...hides.flatMap((folder) => ['--tmpfs', folder]),
        ...shows.flatMap((file) => ['--ro-bind-try', file, file]),
        ...['--', '/bin/sh', '-c', '"$@"; exit $?', 'sh', ...argv],
      ],
      env: roomEnvironment({ argv, cwd, env, room }, at),
    });
  };
}
