'use strict';
// One rule per arrow that must not exist. The layers stand in ARCHITECTURE.md; from the bottom up:
// contract, engine, workflows (these three pure), ports, files, runtime, adapters, surfaces, compose and main.

const forbid = (name, from, to) => ({ name, severity: 'error', from, to });
const PURE = '^src/(contract|engine|workflows)/';

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }),
    forbid('no-unresolvable-imports', {}, { couldNotResolve: true }),

    forbid('pure-layers-touch-no-host', { path: PURE }, { dependencyTypes: ['core'] }),
    forbid(
      'pure-layers-use-three-packages',
      { path: PURE },
      { path: 'node_modules/', pathNot: 'node_modules/(@types/)?(zod|picomatch|any-ascii)/' },
    ),

    forbid('contract-is-the-floor', { path: '^src/contract/' }, { path: '^src/(?!contract/)' }),
    forbid(
      'engine-sees-contract',
      { path: '^src/engine/' },
      { path: '^src/(?!(contract|engine|messages)/)' },
    ),
    forbid(
      'workflows-see-contract-and-engine',
      { path: '^src/workflows/' },
      { path: '^src/(?!(contract|engine|workflows|messages)/)' },
    ),
    // The type of a catalogue is the list of its ids. Only texts that become part of a state are seen whole.
    forbid(
      'layers-see-message-ids',
      { path: [PURE, '^src/surfaces/'] },
      { path: '^src/messages/(?!\\w+/stored\\.json$)', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'workflows-are-strangers',
      { path: '^src/workflows/([^/]+)/' },
      { path: '^src/workflows/(?!(kit|$1)/)' },
    ),

    forbid('ports-are-types', { path: '^src/ports/' }, { dependencyTypesNot: ['type-only'] }),
    forbid(
      'ports-see-contract-and-engine',
      { path: '^src/ports/' },
      { path: '^src/(?!(contract|engine|ports)/)' },
    ),

    forbid(
      'runtime-sees-no-adapter-or-surface',
      { path: '^src/runtime/' },
      { path: '^src/(?!(contract|engine|workflows|ports|runtime)/)' },
    ),

    forbid('files-see-engine', { path: '^src/files/' }, { path: '^src/(?!(contract|engine|files)/)' }),
    // A workflow brings its operations to workflow-table.ts, which the composition passes in.
    forbid('runtime-sees-no-single-workflow', { path: '^src/runtime/' }, { path: '^src/workflows/' }),
    forbid('surfaces-see-no-workflow', { path: '^src/surfaces/' }, { path: '^src/workflows/' }),

    forbid(
      'adapters-see-ports-contract-engine',
      { path: '^src/adapters/' },
      { path: '^src/(?!(contract|engine|files|ports|adapters)/)' },
    ),
    // All agent programs share agent-process. All that work with git share git. Adapters reach the rest through ports.
    forbid(
      'adapters-are-strangers',
      { path: '^src/adapters/([^/]+)/' },
      { path: '^src/adapters/(?!($1|agent-process|git)/)' },
    ),
    forbid(
      'only-agents-are-processes',
      { path: '^src/adapters/(?!agent)[^/]+/' },
      { path: '^src/adapters/agent-process/' },
    ),

    forbid(
      'surfaces-see-contract-engine-runtime',
      { path: '^src/surfaces/' },
      { path: '^src/(?!(contract|engine|runtime|surfaces|messages)/)' },
    ),
    forbid('surfaces-are-strangers', { path: '^src/surfaces/([^/]+)/' }, { path: '^src/surfaces/(?!$1/)' }),

    forbid(
      'only-the-composition-picks-adapters',
      { path: '^src/', pathNot: '^src/(adapters/|(compose|find-location|check-script|prove-person)\\.ts$)' },
      { path: '^src/adapters/' },
    ),
    forbid('src-never-sees-test', { path: '^src/' }, { path: '^(test|scripts)/' }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
