import type { AgentCall } from '../../ports/agent.ts';
import type { AgentKind, Cloud, Setup } from './kind.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that every program needs: locations, and language and terminal settings. */
const BASE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|TERM|XDG_(CONFIG|CACHE|DATA|RUNTIME)_(HOME|DIR))$/;

/** Variables for network access. Every program that calls a provider needs them. */
export const NETWORK: readonly string[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
];

/** Variables of Baton. They are never copied to a worker, even if a kind or the settings list them. */
const NEVER = /^BATON_/;

/** The allowed part of our environment: the base, and the variables in `more`. */
export function baseEnvironment(env: Environment, more: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !NEVER.test(name) && (BASE.test(name) || more.includes(name)),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

/** The fields of a kind that a command line is made of. */
type Parts = Pick<AgentKind, 'command' | 'env' | 'clouds' | 'models'>;

/** Program and first arguments: those of baton.yaml, else the kind's own. */
export function commandOf({ command }: Parts, { settings }: Setup): readonly string[] {
  return settings.command ?? command ?? [];
}

/** The model of a call: the role's own, else the tier's. Null: the program chooses. */
export function modelOf({ models }: Parts, { settings }: Setup, { model, tier }: AgentCall): string | null {
  if (model !== null || tier === 'inherit') return model;
  return settings.models[tier] ?? models[tier] ?? null;
}

/** The part of our environment that the program may see, and the switches that are always set. */
export function environmentOf(
  kind: Parts,
  { settings, env }: Setup,
  switches: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const clouds = chosenClouds(kind, env).flatMap((cloud) => cloud.env);
  return { ...baseEnvironment(env, [...kind.env, ...clouds, ...settings.env]), ...switches };
}

/**
 * The clouds that the environment selects for a program. Their keys give access to more than a model, so no other
 * program gets them.
 */
export function chosenClouds({ clouds = {} }: Pick<AgentKind, 'clouds'>, env: Setup['env']): Cloud[] {
  return Object.entries(clouds).flatMap(([name, cloud]) =>
    /^(1|true|yes|on)$/i.test(env[name] ?? '') ? [cloud] : [],
  );
}

/**
 * `GO_ON` with the task. A program may report its session before it has read the task, so the session may not contain
 * it.
 */
export function goOn(task: string): string {
  return `${GO_ON} This was the task:\n\n${task}`;
}

/** The prompt for a session that was cut off. The session already contains the task. */
export const GO_ON =
  'You were cut off. Go on from where you were and finish the task; give its result in the form it asks for.';
