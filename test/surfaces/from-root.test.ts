import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryId } from '../../src/adapters/git/repository-id.ts';
import { fromRoot } from '../../src/find-location.ts';
import { initGit } from '../support/lab.ts';

describe('a path typed in a folder of the repository', () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-root-')));
  const root = path.join(base, 'photos');
  beforeAll(async () => {
    mkdirSync(path.join(root, 'src', 'docs'), { recursive: true });
    mkdirSync(path.join(root, 'docs', 'baton', 'rename'), { recursive: true });
    writeFileSync(path.join(root, 'src', 'names.md'), '# Names\n');
    initGit(root);
    symlinkSync(path.join(root, 'src'), path.join(base, 'link'));
    await repositoryId(root, { create: true, states: path.join(base, 'states') });
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test.each([
    ['from the top, itself', '.', 'docs/baton/rename', 'docs/baton/rename'],
    ['up and down again', 'src', '../docs/baton/rename', 'docs/baton/rename'],
    ['a file that stands here', 'src', 'names.md', 'src/names.md'],
    ['with a dot', 'src', './names.md', 'src/names.md'],
    ['of the top, seen from below', 'src', 'docs/baton/rename', 'docs/baton/rename'],
    ['through a link to the folder', '../link', '../docs/baton/rename', 'docs/baton/rename'],
    ['that leads out, as it is', 'src', '../../elsewhere', '../../elsewhere'],
    ['that is absolute, as it is', 'src', '/etc/passwd', '/etc/passwd'],
    ['that is the id of a run, as it is', 'src', 'sp-3aa', 'sp-3aa'],
    ['that is empty, as it is', 'src', '', ''],
  ])('%s', async (_name, folder, typed, seen) => {
    expect(await fromRoot(path.join(root, folder), typed)).toBe(seen);
  });
});
