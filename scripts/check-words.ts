import { execFileSync } from 'node:child_process';
import { matchesMessageId } from './message-ids.ts';
import { isOldFile, longSubjects, oldNames, oldText } from './old-words.ts';
import { type Line, projectLines } from './project-lines.ts';
import { reportProblems } from './report-problems.ts';

// What the pure layers could reach without an import: the compiler and the arrows cannot forbid these.
const PURE = /^src\/(contract|engine|workflows)\//;
const IMPURE = /\b(Math\.random|Date\.now|new Date\b(?!\()|Date\(\)|Intl\.DateTimeFormat)/;
/** These hold old words on purpose: history, contracts, and the table of what is refused. */
const EXEMPT = /^(CHANGELOG\.md|docs\/requirements\/|scripts\/old-words\.ts|test\/docs\/old-words\.test\.ts)/;
const CODE = /^(src|test|scripts|bench)\/.*\.ts$/;
/** Subjects are checked from the commit after this one. */
const SINCE = '4f4a75bc5fa72a6f45047efeef97041da982657d';

const files = Map.groupBy(projectLines(), ({ file }) => file);
const checked = [...files].filter(([file]) => !EXEMPT.test(file));
const problems = checked.flatMap(([file, lines]) => [
  ...(isOldFile(file) ? [`${file}: the name of the file has an old word`] : []),
  ...(CODE.test(file) ? oldNames(file, lines.map(({ text }) => text).join('\n')) : []),
  ...lines.flatMap((line) => textProblems(line)),
]);
const subjects = subjectsSince();
problems.push(...longSubjects(subjects ?? []));
const commits =
  subjects === null ? 'no commit subject (shallow clone)' : `${subjects.length} commit subjects`;
reportProblems('words', problems, `${checked.length} files and ${commits} read`);

function textProblems({ file, number, text }: Line): string[] {
  const impure = PURE.test(file) ? IMPURE.exec(text)?.[0] : undefined;
  const old = oldText(text);
  return [
    ...(impure ? [`${file}:${number} uses ${impure}; time and chance come in as arguments`] : []),
    ...(old ? [`${file}:${number} ${old}`] : []),
    ...(matchesMessageId(file, text)
      ? [`${file}:${number} acts on the id of a message; use a field of the contract`]
      : []),
  ];
}

/** Null where the first commit is not in this clone. */
function subjectsSince(): string[] | null {
  try {
    const log = execFileSync('git', ['log', '--format=%s', `${SINCE}..HEAD`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return log.split('\n').filter((subject) => subject !== '');
  } catch {
    return null;
  }
}
