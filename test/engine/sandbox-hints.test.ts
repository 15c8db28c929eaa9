import { describe, expect, test } from 'vitest';
import { sandboxHint } from '../../src/engine/sandbox-hints.ts';

const LOCATION = { tree: '/state/trees/de-1/tree', home: '/people/ada', network: false };
const outside = (path: string) => ({ code: 'outside', path }) as const;
const NETWORK = { code: 'network', path: null } as const;
const DOCKER = { code: 'docker', path: null } as const;

describe('what the last words of a command say about the sandbox', () => {
  test.each([
    ["Error: EROFS: read-only file system, open '/people/ada/.x/log'", outside('/people/ada/.x/log')],
    [
      "Error: ENOENT: no such file or directory, mkdir '/people/ada/.copilot'",
      outside('/people/ada/.copilot'),
    ],
    [
      'mkdir: cannot create directory ‘/people/ada/.qwen’: Read-only file system',
      outside('/people/ada/.qwen'),
    ],
    ['/bin/sh: 1: cannot create /etc/x: Permission denied', outside('/etc/x')],
    ["PermissionError: [Errno 13] Permission denied: '/srv/data'", outside('/srv/data')],
    ["OSError: [Errno 30] Read-only file system: '/srv/data'", outside('/srv/data')],
    [
      'open /people/ada/.config/goose/config.yaml: read-only file system',
      outside('/people/ada/.config/goose/config.yaml'),
    ],
    ["a line before\nEACCES: permission denied, mkdir '/opt/x'\nand after", outside('/opt/x')],
    ["EACCES: permission denied, open '/state/trees/de-1/tree/src/a.js'", null],
    ["ENOENT: no such file or directory, mkdir '/srv/x'", null],
    ["ENOENT: no such file or directory, open '/people/ada/notes.txt'", null],
    ['Permission denied (publickey).', null],
    ['Error: getaddrinfo ENOTFOUND registry.example.org', NETWORK],
    ['Error: getaddrinfo EAI_AGAIN db', NETWORK],
    ['connect ENETUNREACH 192.0.2.1:443', NETWORK],
    ['curl: (6) Could not resolve host: example.org', NETWORK],
    ["fatal: unable to access: Couldn't resolve host 'example.org'", NETWORK],
    ['npm error code ENOTCACHED', NETWORK],
    ['socket.gaierror: [Errno -3] Temporary failure in name resolution', NETWORK],
    ['dial tcp: lookup example.org: no such host', NETWORK],
    ['connect ECONNREFUSED 127.0.0.1:5432', null],
    ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', DOCKER],
    ['Could not find a valid Docker environment. Please see logs', DOCKER],
    ['AssertionError: expected 1 to be 2', null],
    ['', null],
  ])('%s', (words, hint) => {
    expect(sandboxHint(words, LOCATION)).toEqual(hint);
  });

  test('a check that has the network fails for another reason', () => {
    expect(sandboxHint('getaddrinfo ENOTFOUND x', { ...LOCATION, network: true })).toBeNull();
  });
});
