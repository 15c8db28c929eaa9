'use strict';
// The end of `.ci/run`: each failed test with the first lines of its message, each file whose tests were not all run,
// what the runner said of errors outside of tests, each failed step (our arguments), and as the very last line the
// score. Any Node runs it.
const { readFileSync } = require('node:fs');
const { stripVTControlCharacters } = require('node:util');

const LINES = 8;
const OUTSIDE_LINES = 30;
const NO_REPORT = { numPassedTests: 0, numFailedTests: 0, testResults: [] };

const report = readReport();
for (const { name, status, message, assertionResults } of report.testResults) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  for (const test of failed) tell(`${name} > ${test.fullName}`, test.failureMessages.join('\n'));
  // A file that could not even be loaded has no tests to name.
  if (status === 'failed' && failed.length === 0) tell(name, message);
  // `skipped` was asked for; `pending` is what a process that died took with it.
  const pending = assertionResults.filter((test) => test.status === 'pending').length;
  if (pending > 0) tell(name, `${pending} of its tests did not run: its process ended before them`);
}
if (report === NO_REPORT) console.log('no test report was written');
const log = stripVTControlCharacters(read('.reports/tests.log')).split('\n');
const outside = log.findIndex((line) => line.includes('Unhandled Errors'));
if (outside >= 0)
  for (const line of log.slice(outside, outside + OUTSIDE_LINES)) if (line.trim()) console.log(line);
for (const step of process.argv.slice(2)) console.log(`failed step: ${step}`);
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed`);

/** A run that was cut off leaves none, or half of one. */
function readReport() {
  try {
    return JSON.parse(read('.reports/tests.json'));
  } catch {
    return NO_REPORT;
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function tell(title, message) {
  console.log(`failed test: ${title.replace(`${process.cwd()}/`, '')}`);
  for (const line of message.split('\n').slice(0, LINES)) console.log(`    ${line}`);
}
