import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Signer and namespace for `ssh-keygen`. They separate these signatures from other signatures of the same key. */
const NAME = 'baton';

/**
 * `sudo` asks for the password on the terminal, even if it was entered a moment ago. If it does not need a password
 * (root, NOPASSWD), it proves nothing, and the result is false.
 */
export async function confirmBySudo(env: NodeJS.ProcessEnv): Promise<boolean> {
  const sudo = ['sudo', '-k'] as const;
  if (await succeeds([...sudo, '-n', '-v'], env, 'ignore')) return false;
  return succeeds([...sudo, '-v'], env);
}

/**
 * Signs a fresh challenge for `about` with the key, and checks the signature with its public key. `ssh-keygen` asks on
 * the terminal for a touch or a passphrase. An SSH agent that holds the key is not used.
 */
export async function signWith(key: string, about: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-proof-'));
  const [challenge, signers] = [path.join(folder, 'challenge'), path.join(folder, 'signers')];
  try {
    await writeFile(challenge, `${NAME} ${about} ${randomBytes(32).toString('hex')}\n`);
    const [kind, body] = (await readFile(`${key}.pub`, 'utf8')).trim().split(/\s+/);
    await writeFile(signers, `${NAME} namespaces="${NAME}" ${kind} ${body}\n`);
    const sign = ['ssh-keygen', '-Y', 'sign', '-f', key, '-n', NAME, challenge];
    if (!(await succeeds(sign, env))) return false;
    const signed = await open(challenge, 'r');
    const who = ['-f', signers, '-I', NAME, '-n', NAME];
    const check = ['ssh-keygen', '-Y', 'verify', ...who, '-s', `${challenge}.sig`];
    return await succeeds(check, env, signed.fd).finally(() => signed.close());
  } catch {
    return false; // no public key, or no room for the challenge: nothing is proven
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a program with its output on our stderr, never on stdout. If its input is not the terminal, its output is
 * dropped.
 */
function succeeds(
  [program = '', ...args]: readonly string[],
  { SSH_AUTH_SOCK: _agent, ...env }: NodeJS.ProcessEnv,
  input: 'inherit' | 'ignore' | number = 'inherit',
) {
  const words = input === 'inherit' ? process.stderr : 'ignore';
  const child = spawn(program, args, { env, stdio: [input, words, words] });
  return new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}
