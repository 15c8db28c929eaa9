import type { DeliverState } from '../../contract/deliver.ts';
import { CHECKS, type CheckName } from '../../contract/deliver-found.ts';
import type { Step } from '../../contract/step.ts';
import { type CheckCommands, planChecks } from '../../engine/detect-checks.ts';

/** The command of each check; null is none. */
export function commandsOf(state: DeliverState): Readonly<Record<CheckName, string | null>> {
  const { build_cmd, test_cmd, lint_cmd, type_check_cmd } = state;
  return { build: build_cmd, test: test_cmd, lint: lint_cmd, type_check: type_check_cmd };
}

export function hasCommands(state: DeliverState): boolean {
  return Object.values(commandsOf(state)).some((command) => command !== null);
}

/** The same with the place each was found. */
export function checkCommands(state: DeliverState): CheckCommands {
  const commands = commandsOf(state);
  const found = CHECKS.map((name) => {
    const command = commands[name];
    return [name, command === null ? null : { command, source: state.sources[name] ?? '' }] as const;
  });
  return Object.fromEntries(found) as CheckCommands;
}

/** One pass in the order build, test, lint, type check; what has no command is not run (WF-47). */
export function checkStep(state: DeliverState): Step {
  const checks = planChecks(checkCommands(state), state.checks.timeout_minutes * 60);
  return { kind: 'check', during: state.phase, checks };
}

/** The tools of the project, once, before anything is checked: a fresh tree has no folder that git ignores. */
export function installStep(state: DeliverState): Step {
  const command = state.install_cmd ?? 'true';
  const timeout_seconds = state.checks.timeout_minutes * 60;
  const check = { name: 'install', command, source: 'package.json', timeout_seconds };
  return { kind: 'check', during: state.phase, checks: [check] };
}
