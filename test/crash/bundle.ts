import path from 'node:path';
import { build } from 'tsdown';

/** Programs of a life, as plain JavaScript. */
export interface Bundle {
  readonly child: string;
  readonly worker: string;
}

/** Bundles the process under test and its worker once: a life then starts in half the time, and there are thousands. */
export async function bundleProcessRuns(outDir: string): Promise<Bundle> {
  await build({
    config: false,
    entry: { child: 'test/crash/child.ts', worker: 'src/adapters/agent-rehearsal/worker.ts' },
    outDir,
    // Read when they are used: see src/texts.ts.
    copy: ['src/messages', 'src/prompts'],
    format: 'esm',
    platform: 'node',
    target: 'node24',
    dts: false,
    deps: { alwaysBundle: /./, onlyBundle: false },
    outExtensions: () => ({ js: '.mjs' }),
    logLevel: 'error',
    report: false,
  });
  return { child: path.join(outDir, 'child.mjs'), worker: path.join(outDir, 'worker.mjs') };
}
