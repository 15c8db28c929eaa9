import { probeScenarios } from './scenarios-probe.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario the crash driver knows. */
export const scenarios: readonly Scenario[] = [...probeScenarios];
