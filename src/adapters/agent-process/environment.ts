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
