import type { Scenario } from './scenario.ts';
import { probeScenarios } from './scenarios-probe.ts';

/** Every scenario the crash driver knows. */
export const scenarios: readonly Scenario[] = [...probeScenarios];
