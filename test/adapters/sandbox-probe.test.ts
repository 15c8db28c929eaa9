import { describe, expect, test } from 'vitest';
import { installCommand, reasonOf } from '../../src/adapters/sandbox/probe.ts';

describe('why there is no sandbox', () => {
  test.each([
    ['ENOENT ', 'not_installed'],
    ['1 bwrap: No permissions to create new namespace, likely because the kernel does not allow', 'blocked'],
    ['1 bwrap: Creating new namespace failed: Operation not permitted', 'blocked'],
    [
      '1 bwrap: Creating new namespace failed: nesting depth or max_*_namespaces exceeded (ENOSPC)',
      'switched_off',
    ],
    ["1 bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'masked_proc'],
    ['1 bwrap: setting up uid map: Permission denied', 'apparmor'],
    ['1 bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'apparmor'],
    ['1 bwrap: something new', 'unusable'],
  ])('%s is %s', (words, why) => {
    expect(reasonOf(words)).toBe(why);
  });
});

describe('the command that installs bubblewrap', () => {
  test.each([
    ['ID=debian\n', 'apt install bubblewrap'],
    ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', 'apt install bubblewrap'],
    ['ID=fedora\n', 'dnf install bubblewrap'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'dnf install bubblewrap'],
    ['ID=manjaro\nID_LIKE=arch\n', 'pacman -S bubblewrap'],
    ['ID=alpine\n', 'apk add bubblewrap'],
    ['ID=something\n', null],
    ['', null],
  ])('%j: %s', (release, command) => {
    expect(installCommand(release)).toBe(command);
  });
});
