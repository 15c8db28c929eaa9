import type { DeliverState } from '../../contract/deliver.ts';
import { CHECKS, type CheckName } from '../../contract/deliver-found.ts';
import type { Check } from '../../contract/step.ts';
import { type CheckCommands, planChecks } from '../../engine/detect-checks.ts';
import { changedPaths } from './moves.ts';

/** The command of each check. Null means that it has none. */
export function commandsOf(state: DeliverState): Readonly<Record<CheckName, string | null>> {
  const {
    checks: { build_cmd, test_cmd, lint_cmd, type_check_cmd },
  } = state;
  return { build: build_cmd, test: test_cmd, lint: lint_cmd, type_check: type_check_cmd };
}

export function hasCommands(state: DeliverState): boolean {
  return Object.values(commandsOf(state)).some((command) => command !== null);
}

/** The same commands with the source of each. */
export function checkCommands(state: DeliverState): CheckCommands {
  const commands = commandsOf(state);
  const found = CHECKS.map((name) => {
    const command = commands[name];
    return [name, command === null ? null : { command, source: state.checks.sources[name] ?? '' }] as const;
  });
  return Object.fromEntries(found) as CheckCommands;
}

/**
 * One pass in the order build, test, lint, type check. A check without a command is not run (WF-47). A recheck runs
 * only the checks it names, in the same tree or on a clean checkout of the future commit.
 */
export function plannedChecks(state: DeliverState): readonly Check[] {
  const {
    checks: { recheck, install_cmd: install },
    start,
  } = state;
  const planned = planChecks(checkCommands(state), state.checks.settings.timeout_minutes * 60);
  const wanted = planned.filter(({ name }) => !recheck || recheck.checks.includes(name as CheckName));
  const clean = recheck?.stage === 'clean' && {
    clean: { paths: changedPaths(state.attempt), since: start, install },
  };
  return wanted.map((check) => {
    const names_before = state.checks.baseline?.find(({ name }) => name === check.name)?.names;
    return { ...check, ...(names_before && { names_before }), ...clean };
  });
}

/** Installs the tools of the project once, before the first check. A fresh tree has no folders that git ignores. */
export function installCheck(state: DeliverState): readonly Check[] {
  const command = state.checks.install_cmd ?? 'true';
  const timeout_seconds = state.checks.settings.timeout_minutes * 60;
  return [{ name: 'install', command, source: 'package.json', timeout_seconds }];
}
