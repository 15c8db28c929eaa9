import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  atRemote,
  BRANCH,
  hostOf,
  inspect,
  mergePull,
  moveOn,
  openPull,
  published,
  remoteOf,
  remoteRefs,
} from './code-host-fixture.ts';
import { contents, shelf } from './tree-fixture.ts';
import type { Fixture } from './workspace-fixture.ts';

describe('a release from every kind of repository', () => {
  const location = (fixture: Fixture, name: string) => join(dirname(fixture.root), name);
  const KINDS: Readonly<Record<string, () => { fixture: Fixture; person?: string }>> = {
    'a remote by address, of another name': () => {
      const fixture = published();
      fixture.git(['remote', 'add', 'far', `file://${remoteOf(fixture)}`]);
      return { fixture };
    },
    'a linked work tree': () => {
      const fixture = published();
      fixture.git(['worktree', 'add', '-q', '--detach', '../linked']);
      return { fixture, person: location(fixture, 'linked') };
    },
    'a folder below the top': () => {
      const fixture = published();
      return { fixture, person: fixture.path('src') };
    },
    'a shallow clone': () => {
      const fixture = published();
      moveOn(fixture, 3);
      fixture.git(['clone', '-q', '--depth=1', `file://${remoteOf(fixture)}`, '../shallow']);
      return { fixture: { ...fixture, root: location(fixture, 'shallow') } };
    },
    'hashes of 256 bits': () => {
      const fixture = published();
      const root = location(fixture, 'long');
      fixture.git(['init', '-q', '-b', 'main', '--object-format=sha256', root]);
      fixture.git(['commit', '-q', '--allow-empty', '-m', 'first'], root);
      rmSync(remoteOf(fixture), { recursive: true });
      fixture.git(['init', '-q', '--bare', '-b', 'main', '--object-format=sha256', remoteOf(fixture)]);
      fixture.git(['remote', 'add', 'origin', remoteOf(fixture)], root);
      fixture.git(['push', '-q', 'origin', 'main'], root);
      const git: Fixture['git'] = (args, cwd = root) => fixture.git(args, cwd);
      return { fixture: { ...fixture, root, git } };
    },
    'settings and hooks that would have a say': () => {
      const fixture = published();
      const spoil = `#!/bin/sh\ntouch '${location(fixture, 'ran')}'; exit 1\n`;
      fixture.write('.git/hooks/pre-push', spoil);
      fixture.write('.git/hooks/reference-transaction', spoil);
      for (const hook of ['pre-push', 'reference-transaction'])
        chmodSync(fixture.path(`.git/hooks/${hook}`), 0o755);
      for (const [key, value] of [
        ...[
          ['push.gpgSign', 'true'],
          ['push.followTags', 'true'],
          ['push.recurseSubmodules', 'check'],
        ],
        ...[
          ['fetch.prune', 'true'],
          ['fetch.writeCommitGraph', 'true'],
          ['commit.gpgSign', 'true'],
        ],
        ...[
          ['merge.ours.driver', 'exit 1'],
          ['core.fsmonitor', location(fixture, 'spoil')],
        ],
      ] as [string, string][])
        fixture.git(['config', key, value]);
      fixture.git(['-c', 'core.hooksPath=/dev/null', 'tag', '-m', 'v1', 'v1']);
      return { fixture };
    },
  };

  test.each(Object.keys(KINDS))('%s', async (kind) => {
    const { fixture, person } = KINDS[kind]?.() ?? { fixture: published() };
    using _ = fixture;
    const release = kind.startsWith('a remote') ? { remote: 'far' } : {};
    const git = (args: readonly string[]) =>
      fixture.git(['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', ...args], fixture.root);
    git(['branch', BRANCH]);
    const tree = git(['rev-parse', 'HEAD^{tree}']).trim();
    const commit = git(['commit-tree', '-p', 'HEAD', '-m', 'change', tree]).trim();
    git(['update-ref', `refs/heads/${BRANCH}`, commit]);
    const before = contents(fixture.root, true);
    const host = hostOf(fixture, { ...release, deploy: 'git rev-parse HEAD' }, person);
    const pull = await openPull(host);
    expect(await inspect(host, pull)).toMatchObject({ mergeable: true, by_us: true, head_sha: commit });
    const { merged_sha } = await mergePull(host, pull);
    const input = { ticket: 'B-12', sha: merged_sha, base: 'main' };
    const { keep: keeping, texts } = shelf();
    await host.deploys.perform({ op: 'deploy', effect: 'B-12/7/0', input }, keeping);
    expect([...texts.values()]).toEqual([`${merged_sha}\n`]);
    expect(atRemote(fixture, 'main')).toBe(merged_sha);
    expect(remoteRefs(fixture)).not.toHaveProperty('refs/tags/v1');
    expect(contents(fixture.root, true)).toEqual(before);
    expect(existsSync(location(fixture, 'ran'))).toBe(false);
  });
});
