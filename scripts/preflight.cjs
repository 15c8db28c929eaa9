'use strict';
// Silent when all is well: scripts with --json must print nothing but their own output.
const floor = 24;
if (Number.parseInt(process.versions.node, 10) < floor) {
  console.error(
    `Baton's scripts need Node ${floor} or newer, but this is ${process.version}. ` +
      'Run `npm install` (with install scripts allowed): it puts a fitting Node into node_modules/.bin.',
  );
  process.exit(1);
}
