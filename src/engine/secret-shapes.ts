/** Patterns of well-known secrets, by the name used in messages. */
const SHAPES = {
  private_key: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
  aws_key: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  github_token: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b/,
  gitlab_token: /\bglpat-[A-Za-z0-9_-]{20,255}/,
  slack_token: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/,
  google_key: /\bAIza[0-9A-Za-z_-]{35}/,
  npm_token: /\bnpm_[A-Za-z0-9]{36}\b/,
  stripe_key: /\b[rs]k_live_[A-Za-z0-9]{16,255}\b/,
  // Real keys mix digits with upper-case letters. Names of classes and packages do not.
  provider_key: /\bsk-(?=[A-Za-z0-9_-]{0,255}\d)(?=[A-Za-z0-9_-]{0,255}[A-Z])[A-Za-z0-9_-]{20,255}/,
  signed_token: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{20,1000}/,
} as const;

export type SecretShape = keyof typeof SHAPES;

/** Longer lines are generated. Only their beginning is searched. */
const LONGEST_LINE = 20_000;

/**
 * The first secret pattern that a line matches, or null. A warning, never proof: an example key has the same pattern.
 */
export function secretShape(line: string): SecretShape | null {
  const text = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line;
  const found = Object.entries(SHAPES).find(([, shape]) => shape.test(text));
  return (found?.[0] as SecretShape | undefined) ?? null;
}
