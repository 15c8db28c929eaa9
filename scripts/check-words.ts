import { projectLines } from './project-lines.ts';
import { reportProblems } from './report-problems.ts';

// What the pure layers could reach without an import: the compiler and the arrows cannot forbid these.
const PURE = ['src/contract', 'src/engine', 'src/workflows'];
const IMPURE = /\b(Math\.random|Date\.now|new Date|Intl\.DateTimeFormat)\b/;

const lines = projectLines(...PURE);
const problems = lines.flatMap(({ file, number, text }) => {
  const word = IMPURE.exec(text)?.[0];
  return word ? [`${file}:${number} uses ${word}; time and chance come in as arguments`] : [];
});
reportProblems('words', problems, `${lines.length} lines of the pure layers read`);
