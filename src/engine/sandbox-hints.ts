import type { SandboxHint } from '../contract/outcome.ts';

/** Where the command ran, and whether it had network access. */
export interface SandboxContext {
  readonly tree: string;
  readonly home: string;
  /** It had network access, so a network failure has another cause. */
  readonly network: boolean;
}

interface Row {
  readonly code: SandboxHint['code'];
  readonly words: RegExp;
  /** The path in that line must satisfy this. Null: the words are enough. */
  readonly path: ((path: string, location: SandboxContext) => boolean) | null;
}

const outsideTree = (path: string, { tree }: SandboxContext) => !isIn(path, tree);
const inHome = (path: string, { tree, home }: SandboxContext) => !isIn(path, tree) && isIn(path, home);

/**
 * Error texts of programs that the sandbox blocked. The first match wins. Refused connections are not listed, because
 * loopback works in the sandbox.
 */
const ROWS: readonly Row[] = [
  {
    code: 'docker',
    words:
      /Cannot connect to the Docker daemon|docker\.sock|Could not find a valid Docker environment|podman\.sock/i,
    path: null,
  },
  {
    code: 'network',
    words:
      /getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|\bENETUNREACH\b|Could ?n[o']t resolve host|Temporary failure in name resolution|Temporary failure resolving|Name or service not known|nodename nor servname|failed to lookup address|network is unreachable|dial tcp: lookup|No address associated with hostname|NameResolutionError|UnknownHostException|\bENOTCACHED\b/i,
    path: null,
  },
  { code: 'outside', words: /\bEROFS\b|read-only file system/i, path: outsideTree },
  { code: 'outside', words: /\b(?:EACCES|EPERM)\b|permission denied/i, path: outsideTree },
  // Node's error for a read-only disk when it creates nested folders.
  { code: 'outside', words: /\bENOENT\b.*\bmkdir\b|\bmkdir\b.*no such file/i, path: inHome },
];

/** Sandbox hint in the last output of a failed command. Null: none found. Pure. */
export function sandboxHint(words: string, location: SandboxContext): SandboxHint | null {
  const lines = words.split('\n');
  const rows = ROWS.filter(({ code }) => code !== 'network' || !location.network);
  const hints = rows.flatMap((row) => lines.flatMap((line) => hintIn(line, row, location) ?? []));
  return hints[0] ?? null;
}

function hintIn(line: string, { code, words, path }: Row, location: SandboxContext): SandboxHint | null {
  if (!words.test(line)) return null;
  if (path === null) return { code, path: null };
  const found = pathsIn(line).findLast((one) => path(one, location));
  return found === undefined ? null : { code, path: found };
}

/** Absolute paths as programs print them: bare or in any quotes. */
function pathsIn(line: string): string[] {
  return [...line.matchAll(/(?:^|[\s'"`‘“(=])(\/[^\s'"`’”:,;()]+)/g)].map(([, path = '']) => path);
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
