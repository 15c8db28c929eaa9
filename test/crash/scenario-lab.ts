import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { openLocalHost } from '../../src/adapters/host-git/open.ts';
import { ReleaseConfig } from '../../src/contract/config.ts';
import type { Outside } from '../../src/ports/outside.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { commandRunner } from '../../src/runtime/run-command.ts';
import { type Lab, type LabOptions, openLabAt } from '../support/lab.ts';
import type { Scenario } from './scenario.ts';

/** Opens the folder that `layOut` made, with the world of the scenario: its code host, or a deploy that only writes. */
export function openScenarioLab(
  dir: string,
  { workflow, script }: Scenario,
  { wrap = (deps) => deps, ...more }: Omit<LabOptions, 'script'> = {},
): Promise<Lab> {
  const location = { root: path.join(dir, 'photos'), home: path.join(dir, 'home') };
  return openLabAt(location, {
    ...more,
    script,
    wrap: (deps) =>
      wrap({
        ...deps,
        ...(workflow === 'conduct' ? { host: host(dir, deps) } : { outside: { deploy: deploy(dir) } }),
      }),
  });
}

/** The code host with processes that can be killed. Commands of the project find their world in their home folder. */
const host =
  (dir: string, deps: Deps): NonNullable<Deps['host']> =>
  ({ namespace, release }) =>
    openLocalHost({
      person: path.join(dir, 'photos'),
      dir: path.join(dir, 'home', 'host'),
      namespace,
      now: deps.clock.now,
      release: release ?? ReleaseConfig.parse({}),
      run: commandRunner({ ...deps, environment: { ...deps.environment, HOME: dir } }),
    });

/** Writes one line per deploy and has no lookup. */
const deploy = (dir: string): Outside => ({
  perform: async (op) => {
    const line = `${op.effect.split('/')[0]} ${op.input.line}\n`;
    appendFileSync(path.join(dir, 'deployed.log'), line, { flush: true });
    return {};
  },
});
