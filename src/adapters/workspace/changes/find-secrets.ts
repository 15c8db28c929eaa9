import type { AddedLine } from '../../../engine/added-lines.ts';
import { secretShape } from '../../../engine/secret-shapes.ts';

/**
 * A location that looks like a secret. `what` is a shape of engine/secret-shapes.ts, or `$NAME` of a variable. It never
 * contains the value.
 */
export interface SecretContext {
  readonly path: string;
  /** Null if the name of the file itself looks like a secret. */
  readonly line: number | null;
  readonly what: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const SECRET_NAME = /KEYS?(?:_|$)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)/i;
/** A variable of any other name counts if its value looks machine-made. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+=_-]{24,}$/;
const LEAST = 12;
const MOST = 50;
/** Variables of Baton and variables that contain paths: a worker does not get a secret through them. */
const NO_SECRET = /^(?:BATON_|XDG_|npm_package_|PATH$|PWD$|OLDPWD$|HOME$|SHELL$|TMPDIR$|INIT_CWD$|_$)/;

/**
 * Variables of this environment whose values must not be in a change. They include everything that an agent may have
 * received.
 */
function secretsOf(environment: Environment): (readonly [name: string, value: string])[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const secret = value.trim();
    const counts = SECRET_NAME.test(name) ? secret.length >= LEAST : RANDOM.test(secret);
    return counts && !NO_SECRET.test(name) && !secret.startsWith('/') ? [[name, secret] as const] : [];
  });
}

/**
 * Searches lines and names of files. The value of a variable is compared here, but only the name of the variable is
 * returned.
 */
export function findSecrets(
  lines: readonly AddedLine[],
  names: readonly string[],
  environment: Environment,
): SecretContext[] {
  const secrets = secretsOf(environment);
  const whatIn = (text: string) => {
    const named = secrets.find(([, value]) => text.includes(value));
    return named ? `$${named[0]}` : secretShape(text);
  };
  const hidden = (path: string) => secrets.reduce((text, [, value]) => text.replaceAll(value, '…'), path);
  const found: SecretContext[] = [];
  for (const { path, line, text } of [
    ...names.map((name) => ({ path: name, line: null, text: name })),
    ...lines,
  ]) {
    const what = whatIn(text);
    if (what !== null) found.push({ path: hidden(path), line, what });
    if (found.length === MOST) break;
  }
  return found;
}
