import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candidateFault } from '../../src/adapters/workspace/texts/conventions.ts';
import { countLines } from '../../src/adapters/workspace/texts/read-text.ts';
import { ConventionsFound } from '../../src/contract/conventions.ts';
import { sha256 } from '../../src/files/real-files.ts';
import { type Fixture, keep, lines, plainFolder, repository } from './workspace-fixture.ts';

async function found(fixture: Fixture, reference: string | null = null) {
  const workspace = await fixture.open();
  const input = { reference, reference_hash: null };
  return ConventionsFound.parse(await workspace.query({ what: 'conventions', input }, keep));
}

async function candidates(fixture: Fixture) {
  const result = await found(fixture);
  if (result.source !== 'candidates') throw new Error(`found ${result.source}`);
  return result;
}

describe('with git', () => {
  test.each([
    [0, 'none'],
    [49, 'none'],
    [50, 'claude_md'],
    [5000, 'claude_md'],
    [5001, 'none'],
  ])('a CLAUDE.md of %i lines gives %s', async (n, source) => {
    using fixture = repository();
    fixture.write('CLAUDE.md', lines(n, 'rule'));
    const expected =
      source === 'none' ? { source } : { source, artefact: sha256(lines(n, 'rule')), lines: n };
    expect(await found(fixture)).toEqual(expected);
  });

  test('a CLAUDE.md of 200 KB counts, one byte more counts as missing', async () => {
    using fixture = repository();
    const text = `${lines(99, 'a')}${'b'.repeat(204_800 - 198)}`;
    fixture.write('CLAUDE.md', text);
    expect(await found(fixture)).toMatchObject({ source: 'claude_md', lines: 100 });
    fixture.write('CLAUDE.md', `${text}b`);
    expect(await found(fixture)).toEqual({ source: 'none' });
  });

  test('a CLAUDE.md that is missing, a link, a folder or no text is none', async () => {
    using fixture = repository();
    expect(await found(fixture)).toEqual({ source: 'none' });
    fixture.write('rules.md', lines(60));
    symlinkSync('rules.md', fixture.path('CLAUDE.md'));
    expect(await found(fixture)).toEqual({ source: 'none' });
    using second = repository();
    mkdirSync(second.path('CLAUDE.md'));
    expect(await found(second)).toEqual({ source: 'none' });
    using third = repository();
    third.write('CLAUDE.md', `${lines(60)}\0`);
    expect(await found(third)).toEqual({ source: 'none' });
  });

  test('candidates are not looked at, and a reference comes before CLAUDE.md', async () => {
    using fixture = repository();
    fixture.write('CONTRIBUTING.md', lines(60));
    expect(await found(fixture)).toEqual({ source: 'none' });
    fixture.write('CLAUDE.md', lines(60));
    fixture.write('guide.md', 'mine\n');
    expect(await found(fixture, 'guide.md')).toEqual({ source: 'reference', artefact: sha256('mine\n') });
  });
});

describe('without git', () => {
  test('CLAUDE.md is not looked at', async () => {
    using fixture = plainFolder();
    fixture.write('CLAUDE.md', lines(60));
    expect(await found(fixture)).toEqual({ source: 'candidates', candidates: [], warnings: [] });
  });

  test('a reference comes before candidates, and a refused one does not fall back to them', async () => {
    using fixture = plainFolder();
    fixture.write('CONTRIBUTING.md', lines(60));
    fixture.write('guide.md', 'mine\n');
    expect(await found(fixture, 'guide.md')).toMatchObject({ source: 'reference' });
    expect(await found(fixture, 'none.md')).toMatchObject({
      source: 'refused',
      msg: 'spec.reference.missing',
    });
  });
});

describe('SP-21 candidates', () => {
  const NAMES = [
    'STYLE_GUIDE.md',
    'CONTRIBUTING.md',
    'conventions.md',
    'guidelines.md',
    'policy.md',
    'docs/style-guide.md',
    'docs/conventions.md',
  ];

  test.each(NAMES)('SP-21 %s is found in any letter case and nowhere deeper', async (name) => {
    using fixture = plainFolder();
    const other = name.startsWith('docs/') ? `docs/${name.slice(5).toUpperCase()}` : name.toLowerCase();
    fixture.write(other, lines(60));
    fixture.write(`sub/${name}`, lines(60));
    const expected = [{ path: other, lines: 60, artefact: sha256(lines(60)) }];
    expect(await candidates(fixture)).toEqual({ source: 'candidates', candidates: expected, warnings: [] });
  });

  test('SP-21 a leaf symlink is refused with a warning', async () => {
    using fixture = plainFolder();
    fixture.write('real.md', lines(60));
    symlinkSync('real.md', fixture.path('policy.md'));
    const warnings = [{ msg: 'spec.candidate.link', args: { path: 'policy.md' } }];
    expect(await candidates(fixture)).toEqual({ source: 'candidates', candidates: [], warnings });
  });

  test('SP-21 a linked parent is refused with a warning, wherever it leads', async () => {
    using fixture = plainFolder();
    writeFileSync(join(fixture.environment.HOME, 'conventions.md'), lines(60));
    symlinkSync(fixture.environment.HOME, fixture.path('docs'));
    const warnings = [{ msg: 'spec.candidate.linked_parent', args: { path: 'docs/conventions.md' } }];
    expect(await candidates(fixture)).toEqual({ source: 'candidates', candidates: [], warnings });
  });

  test('SP-21 the rules about the place come in order: leaf, parent, outside, foreign folder', () => {
    const seen = { leaf: 'link', linkedParent: true, real: '/elsewhere/node_modules/policy.md' } as const;
    expect(candidateFault('/p', seen)).toBe('link');
    expect(candidateFault('/p', { ...seen, leaf: 'file' })).toBe('linked_parent');
    expect(candidateFault('/p', { ...seen, leaf: 'file', linkedParent: false })).toBe('outside');
    const inside = { leaf: 'file', linkedParent: false } as const;
    const folders = [
      'node_modules',
      '.git',
      'vendor',
      'dist',
      'build',
      '.next',
      '__pycache__',
      '.venv',
      'target',
    ];
    for (const folder of folders)
      expect(candidateFault('/p', { ...inside, real: `/p/${folder}/policy.md` })).toBe('foreign_folder');
    expect(candidateFault('/p', { ...inside, real: '/p/docs/policy.md' })).toBeNull();
    expect(candidateFault('/p', { ...inside, real: '/project/policy.md' })).toBe('outside');
  });

  test('SP-21 a project whose own path contains build still works', async () => {
    using fixture = plainFolder('build/node_modules/project');
    fixture.write('policy.md', lines(60));
    expect((await candidates(fixture)).candidates).toHaveLength(1);
  });

  test.each([
    [49, 0, 'too_short'],
    [50, 1, null],
    [5000, 1, null],
    [5001, 0, 'too_large'],
  ])('SP-21 a candidate of %i lines: %i kept', async (n, kept, rule) => {
    using fixture = plainFolder();
    fixture.write('policy.md', lines(n));
    const result = await candidates(fixture);
    expect(result.candidates).toHaveLength(kept);
    expect(result.warnings.map((one) => one.msg)).toEqual(rule === null ? [] : [`spec.candidate.${rule}`]);
  });

  test('SP-21 more than 200 KB, a folder and bytes that are no text are passed over with a warning each', async () => {
    using fixture = plainFolder();
    fixture.write('CONTRIBUTING.md', `${lines(60)}${'x'.repeat(204_800)}`);
    mkdirSync(fixture.path('guidelines.md'));
    fixture.write('policy.md', Buffer.concat([Buffer.from(lines(60)), Buffer.from([0xff])]));
    const result = await candidates(fixture);
    expect(result.candidates).toEqual([]);
    expect(result.warnings.map(({ msg, args }) => [msg, args?.path])).toEqual([
      ['spec.candidate.too_large', 'CONTRIBUTING.md'],
      ['spec.candidate.not_a_file', 'guidelines.md'],
      ['spec.candidate.not_text', 'policy.md'],
    ]);
  });

  test('the longest three are kept, longest first, ties in the order of the list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 50, max: 54 }), { minLength: 7, maxLength: 7 }),
        async (sizes) => {
          using fixture = plainFolder();
          for (const [n, name] of NAMES.entries()) fixture.write(name, lines(sizes[n] ?? 0));
          const ranked = NAMES.map((path, n) => ({ path, lines: sizes[n] ?? 0, n }))
            .sort((a, b) => b.lines - a.lines || a.n - b.n)
            .slice(0, 3);
          const result = await candidates(fixture);
          const shown = result.candidates.map(({ path, lines: count }) => ({ path, lines: count }));
          expect(shown).toEqual(ranked.map(({ path, lines: count }) => ({ path, lines: count })));
        },
      ),
      { numRuns: 20 },
    );
  });
});

test.each([
  ['', 0],
  ['\n', 1],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['a\r\nb\r\n', 2],
  ['\n\n', 2],
])('%j has %i lines', (text, n) => {
  expect(countLines(text)).toBe(n);
});
