import { describe, expect, test } from 'vitest';
import { Config } from '../../../src/contract/config.ts';
import {
  type CheckOptions,
  detectChecks,
  type ProjectFiles,
  planChecks,
} from '../../../src/engine/detect-checks.ts';

const NO_CHECK_OPTIONS: CheckOptions = { lint_cmd: null, type_check_cmd: null, scope: null, checks: {} };

function project(
  names: readonly string[],
  texts: { package_json?: unknown; pyproject?: string } = {},
): ProjectFiles {
  const { package_json, pyproject } = texts;
  const json = package_json === undefined ? null : JSON.stringify(package_json);
  return { names, texts: { package_json: json, pyproject: pyproject ?? null } };
}

const detect = (files: ProjectFiles, checkOptions: Partial<CheckOptions> = {}) =>
  detectChecks(files, { ...NO_CHECK_OPTIONS, ...checkOptions });

const scripts = (...names: readonly string[]) => ({
  scripts: Object.fromEntries(names.map((name) => [name, `run ${name}`])),
});

describe('WF-17 the first marker file names language, test and build', () => {
  const rows: readonly (readonly [string, string, string | null, string | null])[] = [
    ['build.gradle', 'java', './gradlew test', './gradlew build'],
    ['build.gradle.kts', 'java', './gradlew test', './gradlew build'],
    ['pom.xml', 'java', 'mvn test', 'mvn compile'],
    ['pyproject.toml', 'python', 'pytest', null],
    ['setup.py', 'python', 'pytest', null],
    ['package.json', 'typescript', 'npm test', 'npm run build'],
    ['Shop.csproj', 'csharp', 'dotnet test', 'dotnet build'],
    ['go.mod', 'go', 'go test ./...', 'go build ./...'],
    ['Cargo.toml', 'rust', 'cargo test', 'cargo build'],
  ];

  test.each(rows)('WF-17 %s is a %s project', (name, lang, testing, build) => {
    const found = detect(project(['README.md', name], { package_json: scripts('test', 'build') }));
    expect(found.lang).toBe(lang);
    expect(found.test).toEqual(testing === null ? null : { command: testing, source: name });
    expect(found.build).toEqual(build === null ? null : { command: build, source: name });
  });

  test('WF-17 of a polyglot project the row that stands first wins, whatever the order of the names', () => {
    const order = ['build.gradle', 'pom.xml', 'setup.py', 'package.json', 'A.csproj', 'go.mod', 'Cargo.toml'];
    const langs = order.map((_, n) => detect(project(order.slice(n).reverse())).lang);
    expect(langs).toEqual(['java', 'java', 'python', 'typescript', 'csharp', 'go', 'rust']);
    expect(detect(project(['pyproject.toml', 'package.json'])).build).toBeNull();
  });

  test('WF-17 a package.json sets only commands whose script exists', () => {
    const only = (package_json: unknown) => {
      const { test: testing, build } = detect(project(['package.json'], { package_json }));
      return [testing?.command ?? null, build?.command ?? null];
    };
    expect(only({})).toEqual([null, null]);
    expect(only(scripts('test'))).toEqual(['npm test', null]);
    expect(only(scripts('build'))).toEqual([null, 'npm run build']);
    expect(only({ scripts: { test: '', build: 7 } })).toEqual([null, null]);
    expect(only({ scripts: '{"test":"x"}' })).toEqual([null, null]);
    expect(only({ scripts: { test: 'echo "Error: no test specified" && exit 1' } })).toEqual([null, null]);
  });

  test('WF-17 nothing known is an unknown language without commands', () => {
    const nothing = { lang: 'unknown', build: null, test: null, lint: null, type_check: null, install: null };
    expect(detect(project(['README.md', '.csproj', 'Cargo.lock']))).toEqual(nothing);
    expect(detect(project([]))).toEqual(nothing);
  });

  test.each(['', '{', 'null', '[]', '7', '{"scripts":null}', '{"scripts":[1]}', '\ufeff{}'])(
    'a package.json that holds %j has no scripts',
    (package_json) => {
      const found = detectChecks(
        { names: ['package.json'], texts: { package_json, pyproject: null } },
        NO_CHECK_OPTIONS,
      );
      expect([found.lang, found.test, found.build, found.lint]).toEqual(['typescript', null, null, null]);
    },
  );

  test('only files of the root count', () => {
    expect(detect(project(['packages/a/package.json', 'src/go.mod'])).lang).toBe('unknown');
  });
});

/** In the order of the requirement; two of them together must give the first. */
const LINT: readonly (readonly [string, ProjectFiles, string, string])[] = [
  [
    'a lint script',
    project(['package.json'], { package_json: scripts('lint') }),
    'npm run lint',
    'package.json',
  ],
  ['.eslintrc', project(['.eslintrc']), 'npx eslint .', '.eslintrc'],
  ['.eslintrc.json', project(['.eslintrc.json']), 'npx eslint .', '.eslintrc.json'],
  ['eslint.config.js', project(['eslint.config.js']), 'npx eslint .', 'eslint.config.js'],
  [
    '[tool.ruff]',
    project(['pyproject.toml'], { pyproject: '[tool.ruff]\n' }),
    'ruff check .',
    'pyproject.toml',
  ],
  ['.pylintrc', project(['.pylintrc']), 'pylint .', '.pylintrc'],
  [
    '[tool.pylint]',
    project(['pyproject.toml'], { pyproject: '[tool.pylint]' }),
    'pylint .',
    'pyproject.toml',
  ],
  ['.golangci.yml', project(['.golangci.yml']), 'golangci-lint run', '.golangci.yml'],
  ['.golangci.yaml', project(['.golangci.yaml']), 'golangci-lint run', '.golangci.yaml'],
  ['Cargo.toml', project(['Cargo.toml']), 'cargo clippy', 'Cargo.toml'],
];

const TYPES: readonly (readonly [string, ProjectFiles, string, string])[] = [
  ['tsconfig.json', project(['tsconfig.json']), 'npx tsc --noEmit', 'tsconfig.json'],
  ['mypy.ini', project(['mypy.ini']), 'mypy .', 'mypy.ini'],
  ['[tool.mypy]', project(['pyproject.toml'], { pyproject: '[tool.mypy]' }), 'mypy .', 'pyproject.toml'],
  ['pyrightconfig.json', project(['pyrightconfig.json']), 'pyright', 'pyrightconfig.json'],
  [
    '[tool.pyright]',
    project(['pyproject.toml'], { pyproject: '[tool.pyright]' }),
    'pyright',
    'pyproject.toml',
  ],
];

/** Both projects in one folder. */
function together(a: ProjectFiles, b: ProjectFiles): ProjectFiles {
  const pyproject = [a.texts.pyproject, b.texts.pyproject].filter((text) => text !== null);
  return {
    names: [...new Set([...b.names, ...a.names])],
    texts: {
      package_json: a.texts.package_json ?? b.texts.package_json,
      pyproject: pyproject.length > 0 ? pyproject.toReversed().join('\n') : null,
    },
  };
}

const pairs = <T>(rows: readonly T[]): (readonly [T, T])[] =>
  rows.flatMap((first, n) => rows.slice(n + 1).map((second) => [first, second] as const));

describe('WF-18 lint', () => {
  test.each(LINT)('WF-18 %s', (_, files, command, source) => {
    expect(detect(files).lint).toEqual({ command, source });
  });

  test('WF-18 of any two the earlier rule wins', () => {
    expect(pairs(LINT)).toHaveLength(45);
    for (const [[, a, command], [, b]] of pairs(LINT))
      expect(detect(together(a, b)).lint?.command).toBe(command);
  });

  test('WF-18 --lint-cmd ends the search, and nothing found is null', () => {
    for (const [, files] of LINT) {
      expect(detect(files, { lint_cmd: 'make lint' }).lint).toEqual({
        command: 'make lint',
        source: '--lint-cmd',
      });
    }
    expect(detect(project(['package.json'], { package_json: scripts('test') })).lint).toBeNull();
  });

  test('WF-18 pylint gets the folders of the scope, safe for a shell', () => {
    const lint = (scope: readonly string[]) => detect(project(['.pylintrc']), { scope }).lint?.command;
    expect(lint(['src/**', 'lib/*.py', 'tools/run.py'])).toBe('pylint src lib tools/run.py');
    expect(lint(['**/*.py'])).toBe('pylint .');
    expect(lint(['!src/old/**'])).toBe('pylint .');
    expect(lint(['a b/**', "x'; touch y #", '-rn', '$HOME/a'])).toBe(
      "pylint 'a b' 'x'\\''; touch y #' ./-rn '$HOME/a'",
    );
    expect(lint(['$(id)/a'])).toBe('pylint .');
  });

  test.each([
    ['[tool.ruff.lint]', true],
    ['[[tool.ruff.overrides]]', true],
    [' [ tool . "ruff" ] # comment', true],
    ['# [tool.ruff]', false],
    ['[tool.ruffian]', false],
    ['[other.tool.ruff]', false],
    ['name = "[tool.ruff]"', false],
    ['[tool', false],
  ])('%s is a table of ruff: %s', (line, expected) => {
    const found = detect(
      project(['pyproject.toml'], { pyproject: `[project]\nname = "x"\n${line}\nselect = []\n` }),
    );
    expect(found.lint !== null).toBe(expected);
  });
});

describe('WF-19 type check', () => {
  test.each(TYPES)('WF-19 %s', (_, files, command, source) => {
    expect(detect(files).type_check).toEqual({ command, source });
  });

  test('WF-19 of any two the earlier rule wins', () => {
    for (const [[, a, command], [, b]] of pairs(TYPES)) {
      expect(detect(together(a, b)).type_check?.command).toBe(command);
    }
  });

  test('WF-19 the build covers C#, Go and Rust, and --type-check-cmd ends the search', () => {
    for (const name of ['Shop.csproj', 'go.mod', 'Cargo.toml'])
      expect(detect(project([name])).type_check).toBeNull();
    const given = detect(project(['tsconfig.json']), { type_check_cmd: 'make types' }).type_check;
    expect(given).toEqual({ command: 'make types', source: '--type-check-cmd' });
  });
});

describe('what a person said', () => {
  const files = project(['package.json', 'tsconfig.json'], {
    package_json: scripts('test', 'build', 'lint'),
  });

  test('baton.yaml wins over the detector, null takes a check away, and a flag wins over both', () => {
    const checks = { build: 'make', test: null, lint: 'make lint', type_check: 'make types' };
    expect(detect(files, { checks, lint_cmd: 'biome check' })).toEqual({
      lang: 'typescript',
      build: { command: 'make', source: 'baton.yaml' },
      test: null,
      lint: { command: 'biome check', source: '--lint-cmd' },
      type_check: { command: 'make types', source: 'baton.yaml' },
      install: null,
    });
  });

  test.each([
    ['package-lock.json', 'npm ci'],
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', 'yarn install --frozen-lockfile'],
    ['README.md', 'npm install --no-package-lock'],
  ])('packages are installed as %s says: %s', (lock, command) => {
    const texts = { package_json: '{"devDependencies":{"vitest":"1"}}', pyproject: null };
    expect(detectChecks({ names: ['package.json', lock], texts }, NO_CHECK_OPTIONS).install?.command).toBe(
      command,
    );
    const none = { package_json: '{"devDependencies":{}}', pyproject: null };
    expect(detectChecks({ names: ['package.json', lock], texts: none }, NO_CHECK_OPTIONS).install).toBeNull();
  });

  test('the key `checks` of baton.yaml is strict, and what is left out is left to the detector', () => {
    expect(Config.parse({}).checks).toEqual({ timeout_minutes: 15 });
    expect(Config.parse({ checks: { lint: null, test: ' make ' } }).checks).toEqual({
      lint: null,
      test: 'make',
      timeout_minutes: 15,
    });
    const bad = [
      { tests: 'x' },
      { test: '' },
      { test: 3 },
      { timeout_minutes: 0 },
      { timeout_minutes: 2000 },
    ];
    for (const checks of bad) expect(Config.safeParse({ checks }).success).toBe(false);
  });

  test('a check step holds the commands there are, in order, and a failed build skips the others', () => {
    expect(planChecks(detect(files), 60)).toEqual([
      { name: 'build', command: 'npm run build', source: 'package.json', timeout_seconds: 60 },
      ...[
        ['test', 'npm test', 'package.json'],
        ['lint', 'npm run lint', 'package.json'],
        ['type_check', 'npx tsc --noEmit', 'tsconfig.json'],
      ].map(([name, command, source]) => ({
        name,
        command,
        source,
        timeout_seconds: 60,
        skip_if_failed: ['build'],
      })),
    ]);
    expect(planChecks(detect(project([])), 60)).toEqual([]);
  });
});
