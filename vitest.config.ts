import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/memory-folder.ts', 'test/support/compile-cache.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Starting a program copies the page tables of the test's process. A run of deliver starts about 290: with a small
    // young generation its own share of the work falls by a quarter (1040 ms to 780 ms).
    execArgv: ['--max-semi-space-size=2'],
    // Only what hangs comes to these; a test that is slow because the machine is busy must pass.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['default', 'json'],
    outputFile: { json: '.reports/tests.json' },
  },
});
