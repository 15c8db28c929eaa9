import type { Scenario } from './scenario.ts';
import { conductScenarios } from './scenarios-conduct.ts';
import { deliverScenarios } from './scenarios-deliver.ts';
import { probeScenarios } from './scenarios-probe.ts';
import { specScenarios } from './scenarios-spec.ts';
import { deepScenarios } from './scenarios-spec-deep.ts';

/** Every scenario the crash driver knows. */
export const scenarios: readonly Scenario[] = [
  ...probeScenarios,
  ...specScenarios,
  ...deepScenarios,
  ...deliverScenarios,
  ...conductScenarios,
];
