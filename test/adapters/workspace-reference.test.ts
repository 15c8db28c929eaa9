import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkReference } from '../../src/adapters/workspace/texts/reference.ts';
import { type OpenFile, openFile, sha256 } from '../../src/files/real-files.ts';
import { realFolder } from '../../src/files/real-path.ts';
import { asOtherUser, type Fixture, keep, lines, plainFolder, repository } from './workspace-fixture.ts';

const everything = (fixture: Fixture) => readdirSync(fixture.root, { recursive: true }).sort();

/** Refused by that check, with that message, and the folder holds the same names before and after. */
async function refused(fixture: Fixture, path: string) {
  const workspace = await fixture.open();
  const before = everything(fixture);
  const checked = await workspace.checkReference(path);
  expect(everything(fixture)).toEqual(before);
  if (checked.ok) throw new Error(`${path} was accepted`);
  return checked;
}

describe('SP-15 reference table', () => {
  test.each([
    ['../x.md', 'parent_segment'],
    ['/absolute/x.md', 'absolute'],
    ['C:/x.md', 'absolute'],
    ['\\\\server\\x.md', 'unc'],
    ['.harness/conventions.md', 'protected'],
    ['docs/harness/a/spec.md', 'protected'],
    ['docs/baton/a/spec.md', 'protected'],
    ['memory/x.md', 'protected'],
    ['.git/x.md', 'protected'],
  ])('SP-15 %s is refused by check 1', async (path, rule) => {
    using fixture = plainFolder();
    expect(await refused(fixture, path)).toEqual({
      ok: false,
      check: 1,
      msg: 'spec.reference.path',
      args: { path, rule },
    });
  });

  test.each(['.env', 'a.json', 'a.yml', 'key.pem', 'notes.md.bin', 'no-extension'])(
    'SP-15 %s is refused by check 2, unsupported reference extension',
    async (path) => {
      using fixture = plainFolder();
      fixture.write(path, 'text\n');
      const checked = await refused(fixture, path);
      expect(checked).toMatchObject({ check: 2, msg: 'spec.reference.extension', args: { path } });
    },
  );

  test('SP-15 a symlink is refused by check 3, even to a file inside the folder', async () => {
    using fixture = plainFolder();
    fixture.write('real.md', 'text\n');
    symlinkSync('real.md', fixture.path('guide.md'));
    const checked = await refused(fixture, 'guide.md');
    expect(checked).toMatchObject({ check: 3, msg: 'spec.reference.link', args: { path: 'guide.md' } });
  });

  test('SP-15 a symlink that leads nowhere, or to itself, is refused by check 3', async () => {
    using fixture = plainFolder();
    symlinkSync('none.md', fixture.path('dangling.md'));
    symlinkSync('loop.md', fixture.path('loop.md'));
    expect((await refused(fixture, 'dangling.md')).check).toBe(3);
    expect((await refused(fixture, 'loop.md')).check).toBe(3);
  });

  test.each([
    ['a folder inside', 'real'],
    ['a folder outside', '../home'],
    ['nowhere', 'none'],
    ['itself', 'docs'],
  ])('SP-15 a parent that is a link to %s is refused by check 4', async (_, target) => {
    using fixture = plainFolder();
    fixture.write('real/guide.md', 'text\n');
    writeFileSync(join(fixture.environment.HOME, 'guide.md'), 'text\n');
    symlinkSync(target, fixture.path('docs'));
    const checked = await refused(fixture, 'docs/guide.md');
    expect(checked).toMatchObject({ check: 4, msg: 'spec.reference.linked_parent' });
  });

  test('SP-15 204801 bytes are refused by check 5, reference file too large', async () => {
    using fixture = plainFolder();
    fixture.write('guide.md', Buffer.alloc(204_801, 'a'));
    expect(await refused(fixture, 'guide.md')).toEqual({
      ok: false,
      check: 5,
      msg: 'spec.reference.too_large',
      args: { path: 'guide.md', unit: 'bytes', found: 204_801, limit: 204_800 },
    });
  });

  test.each([
    ['ended', `${lines(5000)}last\n`],
    ['not ended', `${lines(5000)}last`],
  ])('SP-15 5001 lines, the last one %s, are refused by check 5', async (_, text) => {
    using fixture = plainFolder();
    fixture.write('guide.md', text);
    expect(await refused(fixture, 'guide.md')).toMatchObject({
      check: 5,
      msg: 'spec.reference.too_large',
      args: { unit: 'lines', found: 5001, limit: 5000 },
    });
  });

  test('SP-15 204800 bytes and 5000 lines are accepted', async () => {
    using fixture = plainFolder();
    const text = `${lines(4999, 'a'.repeat(39))}${'b'.repeat(204_800 - 4999 * 40)}`;
    expect(text.length).toBe(204_800);
    fixture.write('guide.md', text);
    expect(await (await fixture.open()).checkReference('guide.md')).toEqual({
      ok: true,
      path: 'guide.md',
      text,
    });
  });

  test('SP-15 a directory is refused', async () => {
    using fixture = plainFolder();
    mkdirSync(fixture.path('guide.md'));
    expect((await refused(fixture, 'guide.md')).msg).toBe('spec.reference.not_a_file');
  });

  test('SP-15 a pipe is refused without waiting for a writer', async () => {
    using fixture = plainFolder();
    execFileSync('sh', ['-c', 'mkfifo "$0"', fixture.path('guide.md')]);
    expect((await refused(fixture, 'guide.md')).msg).toBe('spec.reference.not_a_file');
  });

  test('SP-15 invalid UTF-8 is refused', async () => {
    using fixture = plainFolder();
    fixture.write('guide.md', Buffer.from([0x61, 0xff, 0x0a]));
    expect((await refused(fixture, 'guide.md')).msg).toBe('spec.reference.not_text');
  });

  test('SP-15 NUL bytes are refused', async () => {
    using fixture = plainFolder();
    fixture.write('guide.md', 'a\0b\n');
    expect((await refused(fixture, 'guide.md')).msg).toBe('spec.reference.not_text');
  });
});

describe('SP-15 replaced between check and copy', () => {
  const swaps: [string, (fixture: Fixture) => void][] = [
    [
      'another file',
      (f) => {
        writeFileSync(f.path('new'), 'safe\n');
        renameSync(f.path('new'), f.path('docs/guide.md'));
      },
    ],
    [
      'a link',
      (f) => {
        rmSync(f.path('docs/guide.md'));
        symlinkSync('../other.md', f.path('docs/guide.md'));
      },
    ],
    ['nothing', (f) => rmSync(f.path('docs/guide.md'))],
    ['the same file with other bytes', (f) => writeFileSync(f.path('docs/guide.md'), 'evil\n')],
    [
      'a file of a linked parent',
      (f) => {
        renameSync(f.path('docs'), f.path('docs-old'));
        symlinkSync('elsewhere', f.path('docs'));
      },
    ],
    [
      'itself behind a linked parent',
      (f) => {
        renameSync(f.path('docs'), f.path('docs-old'));
        symlinkSync('docs-old', f.path('docs'));
      },
    ],
  ];
  const before =
    (swap: () => void): OpenFile =>
    (path) => {
      swap();
      return openFile(path);
    };
  const after =
    (swap: () => void): OpenFile =>
    async (path) => {
      const handle = await openFile(path);
      swap();
      return handle;
    };

  test.each(swaps)('SP-15 by %s is refused', async (_, swap) => {
    for (const when of [before, after]) {
      using fixture = plainFolder();
      // An old time, so that a rewrite shows even where the clock of the file system is coarse.
      utimesSync(fixture.write('docs/guide.md', 'safe\n'), 1, 1);
      fixture.write('other.md', 'safe\n');
      fixture.write('elsewhere/guide.md', 'safe\n');
      const root = await realFolder(fixture.root);
      const open = when(() => swap(fixture));
      const checked = await checkReference({ root, namespace: 'baton', open }, 'docs/guide.md');
      expect(checked).toMatchObject({
        ok: false,
        msg: 'spec.reference.replaced',
        args: { path: 'docs/guide.md' },
      });
    }
  });
});

test.each([
  ['repository', repository],
  ['folder without git', plainFolder],
])('SP-16 a %s reached through a linked parent accepts a plain reference', async (_, make) => {
  using fixture = make();
  fixture.write('docs/guide.md', 'text\n');
  const linked = join(fixture.environment.HOME, 'linked');
  symlinkSync(dirname(fixture.root), linked);
  const workspace = await fixture.open(join(linked, 'project'));
  expect(await workspace.checkReference('docs/guide.md')).toMatchObject({ ok: true, path: 'docs/guide.md' });
});

test.each(['docs/guide.md', './docs//guide.md', 'docs\\guide.md', 'docs/./guide.md'])(
  'the stored form of %s is relative with forward slashes',
  async (path) => {
    using fixture = plainFolder();
    fixture.write('docs/guide.md', 'text\n');
    expect(await (await fixture.open()).checkReference(path)).toMatchObject({
      ok: true,
      path: 'docs/guide.md',
    });
  },
);

describe('SP-18 a reference that was changed between halt and resume is refused', () => {
  const tamperings: [string, string, (fixture: Fixture) => void][] = [
    ['vanished', 'missing', (f) => rmSync(f.path('docs/guide.md'))],
    ['swapped', 'replaced', (f) => writeFileSync(f.path('docs/guide.md'), 'Rule 2\n')],
    ['grown', 'too_large', (f) => appendFileSync(f.path('docs/guide.md'), lines(5001))],
    [
      'linked',
      'link',
      (f) => {
        renameSync(f.path('docs/guide.md'), f.path('docs/real.md'));
        symlinkSync('real.md', f.path('docs/guide.md'));
      },
    ],
    [
      'behind a link',
      'linked_parent',
      (f) => {
        renameSync(f.path('docs'), f.path('real'));
        symlinkSync('real', f.path('docs'));
      },
    ],
  ];

  test.each(tamperings)('SP-18 %s', async (_, rule, tamper) => {
    using fixture = plainFolder();
    fixture.write('docs/guide.md', 'Rule 1\n');
    const workspace = await fixture.open();
    const input = { reference: 'docs/guide.md', reference_hash: sha256('Rule 1\n') };
    const query = () => workspace.query({ what: 'conventions', input }, keep);
    expect(await query()).toEqual({ source: 'reference', artefact: sha256('Rule 1\n') });
    tamper(fixture);
    expect(await query()).toMatchObject({
      source: 'refused',
      msg: `spec.reference.${rule}`,
      args: { path: 'docs/guide.md' },
    });
  });
});

describe('SP-64 rows the table leaves open', () => {
  test.each(['none.md', 'none/guide.md', 'file.txt/guide.md'])(
    'SP-64 %s does not exist and is refused',
    async (path) => {
      using fixture = plainFolder();
      fixture.write('file.txt', 'x');
      fixture.write('CONTRIBUTING.md', lines(60));
      const checked = await refused(fixture, path);
      expect(checked).toMatchObject({ msg: 'spec.reference.missing', args: { path } });
    },
  );

  test('SP-64 a file that cannot be read is refused', async () => {
    using fixture = plainFolder();
    chmodSync(fixture.write('guide.md', 'text\n'), 0o000);
    expect(await asOtherUser(fixture, () => refused(fixture, 'guide.md'))).toMatchObject({
      msg: 'spec.reference.unreadable',
      args: { path: 'guide.md' },
    });
  });

  test('SP-64 one line is enough', async () => {
    using fixture = plainFolder();
    fixture.write('guide.md', 'one line');
    expect(await (await fixture.open()).checkReference('guide.md')).toMatchObject({
      ok: true,
      text: 'one line',
    });
  });

  test.each(['GUIDE.MD', 'Guide.Txt', 'guide.Markdown'])(
    'SP-64 %s has a supported extension',
    async (path) => {
      using fixture = plainFolder();
      fixture.write(path, 'text\n');
      expect(await (await fixture.open()).checkReference(path)).toMatchObject({ ok: true, path });
    },
  );
});

test('a text keeps its bytes: byte order mark, line ends and letters beyond ASCII', async () => {
  using fixture = plainFolder('프로젝트 one');
  const text = '\uFEFF규칙\r\nnaïve 🎼';
  fixture.write('안내 guide.md', text);
  const checked = await (await fixture.open()).checkReference('안내 guide.md');
  expect(checked).toEqual({ ok: true, path: '안내 guide.md', text });
});
