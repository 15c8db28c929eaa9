type Environment = Readonly<Record<string, string | undefined>>;

/** What every program needs to run at all: where things are, and how people write here. */
const BASE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|TERM|XDG_(CONFIG|CACHE|DATA|RUNTIME)_(HOME|DIR))$/;

/** How the network is reached from here; every program that asks a provider needs it. */
export const NETWORK: readonly string[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
];

/** Names of ours that no worker may have, whoever asks for them. */
const NEVER = /^BATON_/;

/** The allowed part of our environment: the base, and what the program itself declares. */
export function baseEnvironment(env: Environment, more: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !NEVER.test(name) && (BASE.test(name) || more.includes(name)),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
