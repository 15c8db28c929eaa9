import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/memory-folder.ts', 'test/support/compile-cache.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Only what hangs comes to these; a test that is slow because the machine is busy must pass.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['default', 'json'],
    outputFile: { json: '.reports/tests.json' },
  },
});
