import type { AgentCall } from '../../ports/agent.ts';
import { baseEnvironment } from './environment.ts';
import type { AgentKind, Cloud, Setup } from './kind.ts';

/** The parts of a kind a command line is made of. */
type Parts = Pick<AgentKind, 'command' | 'env' | 'clouds' | 'models'>;

/** Program and first arguments: those of baton.yaml, else the kind's own. */
export function commandOf({ command }: Parts, { settings }: Setup): readonly string[] {
  return settings.command ?? command ?? [];
}

/** The model of a call: the role's own, else the tier's; null leaves it to the program. */
export function modelOf({ models }: Parts, { settings }: Setup, { model, tier }: AgentCall): string | null {
  if (model !== null || tier === 'inherit') return model;
  return settings.models[tier] ?? models[tier] ?? null;
}

/** What the program may see of our environment, and the switches it is always started with. */
export function environmentOf(
  kind: Parts,
  { settings, env }: Setup,
  switches: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const clouds = chosenClouds(kind, env).flatMap((cloud) => cloud.env);
  return { ...baseEnvironment(env, [...kind.env, ...clouds, ...settings.env]), ...switches };
}

/** The clouds a program is told to ask. Their keys open more than a model: nobody else gets them. */
export function chosenClouds({ clouds = {} }: Pick<AgentKind, 'clouds'>, env: Setup['env']): Cloud[] {
  return Object.entries(clouds).flatMap(([name, cloud]) =>
    /^(1|true|yes|on)$/i.test(env[name] ?? '') ? [cloud] : [],
  );
}

/** The same with the task: a program whose session is known before it heard the task may not have it. */
export function goOn(task: string): string {
  return `${GO_ON} This was the task:\n\n${task}`;
}

/** What a session that was cut off is told; the task itself stands in it already. */
export const GO_ON =
  'You were cut off. Go on from where you were and finish the task; give its result in the form it asks for.';
