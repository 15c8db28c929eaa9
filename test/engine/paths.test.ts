import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PATH_RULES, type PathCode, type PathKind, validatePath } from '../../src/engine/paths.ts';
import { catalogue } from '../support/texts.ts';

const THREE: readonly PathKind[] = ['output_dir', 'file_reference', 'diff_target'];
const ALL: readonly PathKind[] = [...THREE, 'spec_input'];
const STEP: Partial<Record<PathCode, number>> = { empty: 0, unc: 1, absolute: 2, parent_segment: 3 };

/** The rows of WF-76, each run for all three kinds: what `output_dir` gives, what both file kinds give. */
const table: readonly [string, PathCode | 'accepted', PathCode | 'accepted'][] = [
  ['', 'empty', 'empty'],
  ['\\\\server\\share', 'unc', 'unc'],
  ['//server/share', 'unc', 'unc'],
  ['/absolute/path', 'absolute', 'absolute'],
  ['C:/x', 'absolute', 'absolute'],
  ['C:x', 'absolute', 'absolute'],
  ['./C:/x', 'absolute', 'absolute'],
  ['docs/../../etc', 'parent_segment', 'parent_segment'],
  ['a/../b', 'parent_segment', 'parent_segment'],
  ['.harness', 'reserved_name', 'protected'],
  ['./.harness', 'reserved_name', 'protected'],
  ['.HARNESS/x', 'reserved_name', 'protected'],
  ['memory/foo', 'reserved_name', 'protected'],
  ['.git/hooks', 'reserved_name', 'protected'],
  ['.git/config', 'reserved_name', 'protected'],
  ['docs/other/x', 'docs_not_namespace', 'accepted'],
  ['docs/harness', 'accepted', 'protected'],
  ['docs/harness/my-slug/', 'accepted', 'protected'],
  ['docs/harness/x/spec.md', 'accepted', 'protected'],
  ['build/notes..old', 'accepted', 'accepted'],
];

describe('the table of WF-76, with the namespace it is written for', () => {
  const context = { namespace: 'harness' };
  const rows = table.flatMap(([raw, output, file]) =>
    THREE.map((kind) => [raw, kind, kind === 'output_dir' ? output : file] as const),
  );

  test.each(rows.filter((row) => row[2] === 'accepted'))('WF-75 WF-76 %j as %s is accepted', (raw, kind) => {
    expect(validatePath(raw, kind, context)).toEqual({ ok: true, path: raw.replace(/\/$/, '') });
  });

  test.each(rows.filter((row) => row[2] !== 'accepted'))(
    'WF-75 WF-76 WF-95 %j as %s is refused: %s',
    (raw, kind, code) => {
      if (code === 'accepted') throw new Error('not a refused row');
      const refusal = { ok: false, code, step: STEP[code] ?? 4, path: raw, rule: PATH_RULES[code] };
      expect(validatePath(raw, kind, context)).toEqual(refusal);
    },
  );

  test('WF-76 WF-95 src/a.ts as diff_target is refused when the scope is lib/**', () => {
    const result = validatePath('src/a.ts', 'diff_target', { ...context, scope: ['lib/**'] });
    expect(result).toMatchObject({ ok: false, code: 'outside_scope', step: 4, path: 'src/a.ts' });
  });

  test.each(ALL)('WF-75 hardening: empty and control characters are refused as %s', (kind) => {
    for (const raw of ['', '  ', '.', './', './.', ' /.']) {
      expect(validatePath(raw, kind, context), raw).toMatchObject({ code: 'empty', step: 0 });
    }
    for (const raw of ['a\0b', 'a\nb', 'a\u007fb', 'a\u009bb', 'a\ud800']) {
      expect(validatePath(raw, kind, context), JSON.stringify(raw)).toMatchObject({
        code: 'control_character',
      });
    }
  });
});

describe('properties of an accepted path', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '.',
      '..',
      '...',
      'a..b',
      'C:',
      'c:x',
      '',
      ' ',
      'docs',
      'src',
      '.git',
      'GIT~1',
      '\\',
      '//',
      '~',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const anyPath = fc
    .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom('/', '\\'))
    .map(([pieces, separator]) => pieces.join(separator));

  test('WF-75 an accepted path resolves inside the root, on either kind of system', () => {
    let seen = 0;
    fc.assert(
      fc.property(anyPath, fc.constantFrom(...ALL), (raw, kind) => {
        const result = validatePath(raw, kind, { namespace: 'baton' });
        if (!result.ok) return;
        seen += 1;
        expect(posix.resolve('/root', result.path).startsWith('/root/')).toBe(true);
        expect(win32.resolve('Q:\\root', result.path).startsWith('Q:\\root\\')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  test('an accepted path, given again, is accepted unchanged', () => {
    fc.assert(
      fc.property(anyPath, fc.constantFrom(...ALL), (raw, kind) => {
        const context = { namespace: 'baton' };
        const result = validatePath(raw, kind, context);
        if (result.ok) expect(validatePath(result.path, kind, context)).toEqual(result);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('names of git and of Baton', () => {
  const context = { namespace: 'baton' };
  const codeOf = (raw: string, kind: PathKind) => {
    const result = validatePath(raw, kind, context);
    return result.ok ? 'accepted' : result.code;
  };

  test.each([
    ['baton/x', 'output_dir', 'reserved_name'],
    ['.Baton', 'output_dir', 'reserved_name'],
    ['harness', 'output_dir', 'reserved_name'],
    ['docs', 'output_dir', 'docs_not_namespace'],
    ['docs/harness/x', 'output_dir', 'docs_not_namespace'],
    ['docs/baton:x', 'output_dir', 'docs_not_namespace'],
    ['docs/baton/x', 'output_dir', 'accepted'],
    ['Docs/BATON/x', 'output_dir', 'accepted'],
    ['build/.git/hooks', 'output_dir', 'protected'],
    ['docs/baton/x/spec.md', 'file_reference', 'protected'],
    ['DOCS/Harness/x/spec.md', 'diff_target', 'protected'],
    ['.baton/state', 'diff_target', 'protected'],
    ['memory/notes.md', 'file_reference', 'protected'],
    ['vendor/lib/.git/config', 'diff_target', 'protected'],
    ['src/memory/pool.ts', 'diff_target', 'accepted'],
    ['docs/guide.md', 'diff_target', 'accepted'],
    ['harness/run.ts', 'diff_target', 'accepted'],
    ['.gitignore', 'diff_target', 'accepted'],
    ['.github/workflows/ci.yml', 'diff_target', 'accepted'],
    ['docs/baton/x/spec.md', 'spec_input', 'accepted'],
    ['docs/harness/x/spec.md', 'spec_input', 'accepted'],
    ['.git/config', 'spec_input', 'protected'],
    ['.harness/spec.md', 'spec_input', 'protected'],
    ['.baton/spec.md', 'spec_input', 'protected'],
  ] as const)('WF-76 %s as %s is %s', (raw, kind, expected) => {
    expect(codeOf(raw, kind)).toBe(expected);
  });

  test.each(['memory', 'spec', 'planner', 'generator', 'evaluator', 'verify', 'harness', '.harness', '.git'])(
    'WF-76 documents do not go to %s',
    (name) => {
      expect(codeOf(`${name}/x`, 'output_dir')).toBe('reserved_name');
      expect(codeOf(`build/${name}x`, 'output_dir')).toBe('accepted');
    },
  );

  test.each(['.git ', '.git.', '.GIT', '.git::$INDEX_ALLOCATION', '.g\u200cit', 'git~1', '．git'])(
    'WF-75 WF-76 a name some file system takes for .git is refused: %j',
    (name) => {
      expect(codeOf(`${name}/config`, 'diff_target')).toBe('protected');
      expect(codeOf(`${name}/hooks`, 'output_dir')).toBe('reserved_name');
    },
  );
});

describe('scope', () => {
  const inScope = (raw: string, scope: string[] | undefined) =>
    validatePath(raw, 'diff_target', { namespace: 'baton', scope }).ok;

  test.each([
    ['no scope is no limit', undefined, ['src/a.ts', 'lib/b.ts'], []],
    ['an empty scope covers nothing', [], [], ['src/a.ts']],
    [
      'a glob covers hidden files too',
      ['src/**'],
      ['src/a.ts', 'src/.env', 'src/x/.y/z'],
      ['srcs/a.ts', 'a.ts'],
    ],
    ['one star stays in its folder', ['src/*'], ['src/a.ts'], ['src/x/a.ts']],
    [
      'a plain name is a file or a whole folder',
      ['src/', './README.md'],
      ['src/x/a.ts', 'README.md'],
      ['src2/a'],
    ],
    ['brackets can be meant literally', ['app/[id]'], ['app/[id]/page.tsx', 'app/i'], ['app/x/page.tsx']],
    ['an exclusion takes away', ['src/**', '!src/gen/**'], ['src/a.ts'], ['src/gen/a.ts', 'lib/a.ts']],
    ['exclusions alone leave the rest', ['!src/gen'], ['src/a.ts', 'lib/a.ts'], ['src/gen/a.ts']],
    ['a dot is the whole repository', ['.'], ['src/a.ts'], []],
    ['a blank glob covers nothing', [' '], [], ['src/a.ts']],
  ])('WF-76 %s', (_sentence, scope, inside, outside) => {
    expect(inside.filter((path) => !inScope(path, scope))).toEqual([]);
    expect(outside.filter((path) => inScope(path, scope))).toEqual([]);
  });

  test('the scope limits what is changed, not what is read', () => {
    const context = { namespace: 'baton', scope: ['lib/**'] };
    expect(validatePath('src/a.ts', 'file_reference', context).ok).toBe(true);
  });
});

describe('texts of refusals', () => {
  test.each(['en', 'ko'] as const)(
    'WF-95 no two rules share a message in %s, each names path and source',
    (lang) => {
      const texts = Object.values(PATH_RULES).map((id) => catalogue(lang, 'engine')[id] ?? '');
      expect(new Set(texts).size).toBe(10);
      expect(texts.filter((text) => !text.includes('{path}') || !text.includes('{source}'))).toEqual([]);
    },
  );
});
