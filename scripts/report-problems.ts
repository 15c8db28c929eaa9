/** Ends a check: every problem on its own line and exit code 1, or one line that says what was looked at. */
export function reportProblems(check: string, problems: string[], looked: string): void {
  if (problems.length === 0) {
    console.log(`${check}: ${looked}, no problem`);
    return;
  }
  for (const problem of problems) console.error(`${check}: ${problem}`);
  process.exitCode = 1;
}
