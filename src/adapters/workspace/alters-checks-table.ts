import picomatch from 'picomatch';

/** Files that decide how a change is checked: our own settings, build and check set-up, test runners, CI. */
const GLOBS = [
  'baton.{yaml,yml}',
  '**/{package.json,package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,.npmrc}',
  '**/{Makefile,makefile,GNUmakefile,justfile,Justfile,Taskfile.y*ml,Rakefile,CMakeLists.txt,meson.build}',
  '**/{build.gradle,build.gradle.kts,settings.gradle,settings.gradle.kts,gradlew,pom.xml,mvnw,build.xml}',
  '**/{pyproject.toml,setup.py,setup.cfg,tox.ini,noxfile.py,pytest.ini,.coveragerc,conftest.py}',
  '**/{mypy.ini,.mypy.ini,pyrightconfig.json,.pylintrc,pylintrc,ruff.toml,.ruff.toml,.flake8}',
  '**/{Cargo.toml,clippy.toml,.clippy.toml,rust-toolchain,rust-toolchain.toml,.cargo/**}',
  '**/{go.mod,go.work,.golangci.yml,.golangci.yaml,.golangci.toml}',
  '**/{*.csproj,*.fsproj,*.sln,*.runsettings,Directory.Build.props,global.json}',
  '**/{tsconfig*.json,jsconfig.json,biome.json,biome.jsonc,.eslintrc*,eslint.config.*,.eslintignore}',
  '**/{vitest.config.*,vitest.workspace.*,jest.config.*,jest.setup.*,karma.conf.*,.mocharc*,ava.config.*}',
  '**/{playwright.config.*,cypress.config.*,vite.config.*,webpack.config.*,babel.config.*,.babelrc*}',
  '**/{.nycrc*,phpunit.xml*,composer.json,Gemfile,.rspec,.rubocop.yml,mix.exs,deno.json*,bunfig.toml}',
  '{.github,.gitlab,.circleci,.buildkite,.woodpecker,.drone,.ci}/**',
  '{.gitlab-ci.yml,.travis.yml,azure-pipelines*.yml,bitbucket-pipelines.yml,Jenkinsfile*,appveyor.yml}',
  '**/{.gitignore,.gitattributes,.gitmodules,.dockerignore}',
  '{.drone.yml,.woodpecker.yml,cloudbuild.yaml,.cirrus.yml,codecov.yml,.codecov.yml}',
  '{.husky,.githooks,githooks}/**',
  '{.pre-commit-config.yaml,lefthook.y*ml,.lefthook.y*ml,.lintstagedrc*,lint-staged.config.*}',
  '**/{scripts,script,bin,tools,ci}/**/*{test,check,lint,build,verify,ci}*',
] as const;

let isMatch: ((path: string) => boolean) | undefined;

/** True for a path that is part of how the project is checked, so that a change to it is shown to people. */
export function altersChecks(path: string): boolean {
  // Made on first use: most commands ask about no path.
  isMatch ??= picomatch([...GLOBS], { dot: true, windows: false, nocase: true });
  return isMatch(path);
}

/**
 * Every word of the commands that could be a file, npm scripts they call included, also those called by a script; where
 * the scripts themselves changed, package.json is listed anyway. A build names what it builds, so its script is not
 * looked into. A word also stands for the file below each folder a command changes to.
 */
export function namedFiles(commands: readonly string[], manifest: string | null): Set<string> {
  const scripts = scriptsOf(manifest);
  const texts = [...commands];
  const seen = new Set<string>();
  for (let text = texts[0], n = 0; text !== undefined; n += 1, text = texts[n]) {
    for (const name of calledScripts(text)) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const one of [`pre${name}`, name, `post${name}`]) if (scripts[one]) texts.push(scripts[one]);
    }
  }
  return new Set(texts.flatMap(wordsOf));
}

const RUNS =
  /\b(?:npm|pnpm|yarn|bun)((?:\s+-[\w=:./-]+)*)\s+(?:(?:run|run-script)\s+)?((?:-[\w=:./-]+\s+)*)([\w:.-]+)/g;

function calledScripts(text: string): string[] {
  return [...text.matchAll(RUNS)].flatMap(([, , , name]) => (name && name !== 'build' ? [name] : []));
}

function wordsOf(text: string): string[] {
  const words = text
    .split(/[\s;&|()<>"'`=]+/)
    .map((word) => word.replace(/^\.\//, ''))
    .filter((word) => word !== '');
  const folders = [...text.matchAll(/\bcd\s+([^\s;&|()<>"'`]+)/g)].map(([, folder = '']) =>
    folder.replace(/^\.\//, '').replace(/\/$/, ''),
  );
  return [...words, ...folders.flatMap((folder) => words.map((word) => `${folder}/${word}`))];
}

function scriptsOf(manifest: string | null): Record<string, string> {
  try {
    const { scripts } = JSON.parse(manifest ?? '{}') as { scripts?: Record<string, unknown> };
    const entries = Object.entries(scripts ?? {}).filter((entry) => typeof entry[1] === 'string');
    return Object.fromEntries(entries) as Record<string, string>;
  } catch {
    return {}; // not JSON: npm cannot run its scripts either
  }
}
