import { existsSync } from 'node:fs';
import { limitsFor, readLimits, tagRange } from './process-tag.ts';

/** POSIX counts `ulimit -f` in blocks of this size. */
const BLOCK = 512n;

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

let setpriv: string[] | null = null;

/**
 * Adds the process tag of a call to a command, and prevents the command from gaining privileges. Inside a worker of
 * another Baton the process already has a tag, which must stay unchanged.
 */
export function tagCommand(argv: readonly string[], location: string, call_id: string): string[] {
  if (process.platform !== 'linux') return [...argv];
  setpriv ??= findSetpriv();
  const own = readLimits() ?? { file: null, locks: null };
  const { file, locks } = limitsFor(tagRange(location, call_id).from, own);
  const line = [
    ...(file === null ? [] : [`ulimit -f ${file / BLOCK}`]),
    // Shells use different letters for this limit. If neither works, the limit on file size alone carries the tag.
    ...(locks === null ? [] : [`{ ulimit -w ${locks} || ulimit -x ${locks}; } 2> /dev/null`]),
    'exec "$@"',
  ].join('; ');
  return ['/bin/sh', '-c', line, 'sh', ...setpriv, ...argv];
}

/** Root could raise the limit again, so root loses that capability. */
function findSetpriv(): string[] {
  const program = SETPRIV.find(existsSync);
  if (!program) return [];
  const root = ['--bounding-set', '-sys_resource', '--inh-caps', '-sys_resource'];
  return [program, '--no-new-privs', ...(process.getuid?.() === 0 ? root : [])];
}
