import picomatch from 'picomatch';
import { calledScripts, readScripts } from '../../../engine/checks/called-scripts.ts';

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
  // Python loads such a file from the working directory instead of the runner of that name.
  '**/{sitecustomize,usercustomize,unittest,pytest,_pytest,nose2,tox,nox,mypy,ruff,flake8,pylint}{.py,/__*__.py}',
  '**/{.yarnrc*,.yarn/**,.pnpmfile.cjs,pnpm-workspace.yaml,lerna.json,nx.json,turbo.json,node.config.json}',
  '**/{.mvn/**,gradle.properties,buildSrc/**,gradle/wrapper/**,Directory.Build.targets,NuGet.config}',
  '{.github,.gitlab,.circleci,.buildkite,.woodpecker,.drone,.ci}/**',
  '{.gitlab-ci.yml,.travis.yml,azure-pipelines*.yml,bitbucket-pipelines.yml,Jenkinsfile*,appveyor.yml}',
  '**/{.gitignore,.gitattributes,.gitmodules,.dockerignore}',
  '{.drone.yml,.woodpecker.yml,cloudbuild.yaml,.cirrus.yml,codecov.yml,.codecov.yml}',
  '{.husky,.githooks,githooks}/**',
  '{.pre-commit-config.yaml,lefthook.y*ml,.lefthook.y*ml,.lintstagedrc*,lint-staged.config.*}',
  '**/{scripts,script,bin,tools,ci}/**/*{test,check,lint,build,verify,ci}*',
] as const;

let isMatch: ((path: string) => boolean) | undefined;

/** True for a path that is part of how the project is checked. People are shown every change to it. */
export function altersChecks(path: string): boolean {
  // Created on first use: most commands do not check a path.
  isMatch ??= picomatch([...GLOBS], { dot: true, windows: false, nocase: true });
  return isMatch(path);
}

/**
 * Matches every word of the commands that could be a file. This includes the npm scripts they call, directly or through
 * another script. If the scripts themselves changed, package.json is listed anyway. The script `build` is not searched,
 * because a build names what it builds. A word also matches the file below each folder a command changes to.
 */
export function namesFile(commands: readonly string[], manifest: string | null): (path: string) => boolean {
  const scripts = readScripts(manifest);
  const texts = [...commands];
  const seen = new Set<string>();
  for (let text = texts[0], n = 0; text !== undefined; n += 1, text = texts[n]) {
    for (const name of calledScripts(text)) {
      if (name === 'build' || seen.has(name)) continue;
      seen.add(name);
      for (const one of [`pre${name}`, name, `post${name}`]) texts.push(scripts.get(one) ?? '');
    }
  }
  const said = texts.map(wordsOf);
  return (path) => said.some((one) => isSaid(path, one));
}

interface MentionedPaths {
  readonly words: ReadonlySet<string>;
  /** Folders the text changes into. Each of its words may be a file in each of them. */
  readonly folders: ReadonlySet<string>;
}

function wordsOf(text: string): MentionedPaths {
  const words = text
    .split(/[\s;&|()<>"'`=]+/)
    .map((word) => word.replace(/^\.\//, ''))
    .filter((word) => word !== '');
  const folders = [...text.matchAll(/\bcd\s+([^\s;&|()<>"'`]+)/g)].map(([, folder = '']) =>
    folder.replace(/^\.\//, '').replace(/\/$/, ''),
  );
  return { words: new Set(words), folders: new Set(folders) };
}

/** Checks one path at a time: all words in all folders would be more names than fit into memory. */
function isSaid(path: string, { words, folders }: MentionedPaths): boolean {
  if (words.has(path)) return true;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (folders.has(path.slice(0, at)) && words.has(path.slice(at + 1))) return true;
  return false;
}
