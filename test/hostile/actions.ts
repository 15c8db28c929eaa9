import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ADD_TEST, NPM_PROJECT } from '../support/deliver-script.ts';
import { isRunning } from '../surfaces/end-to-end.ts';
import type { Actor, Ground } from './ground.ts';

/** One thing a hostile worker, or a check that a worker wrote, may try. */
export interface HostileAction {
  readonly aim: 'answer' | 'read' | 'write' | 'survive' | 'cheat';
  readonly as: readonly Actor[];
  /** A shell line that makes the attempt. It must end by itself, whatever comes of it. */
  readonly line?: (at: Ground) => string;
  /** Files a worker leaves in the tree instead; null deletes one. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Whether the attempt got what it wanted. */
  readonly succeeded: (at: Ground) => boolean;
  /** What the gate or the log says where it succeeded and a person was told. */
  readonly notice?: RegExp;
  /** Without a sandbox; docs/guide/security.md says the same in the row of this action. */
  readonly bare: 'stopped' | 'noticed' | 'possible';
}

const BOTH = ['worker', 'check'] as const;
const WORKER = ['worker'] as const;

/** Answers the open gate of another run with the exact digest: nothing but the proof of a person is missing. */
const answer = ({ baton, victim }: Ground) =>
  `${baton} answer ${victim.gate} skip --digest ${victim.digest} --no-input`;
const clean = ({ env }: Ground) => `env -i PATH="$PATH" HOME=${env.HOME} BATON_HOME=${env.BATON_HOME}`;
const inTerminal = (command: string) => `script -qec '${command}' /dev/null < /dev/null`;
const victimAnswered = ({ victimIsOpen }: Ground) => !victimIsOpen();

/** Copies a file to every place from where it could leave, and to the output. */
const loot = (file: string) => (at: Ground) =>
  `cat ${file} | tee -a loot-${at.actor}.txt ${at.dropbox}/loot.txt`;
const leaves = (name: keyof Ground['naps']) => (at: Ground) => isRunning(at.naps[name]);
const differs =
  (file: (at: Ground) => string, was: string | null) =>
  (at: Ground): boolean =>
    (existsSync(file(at)) ? readFileSync(file(at), 'utf8') : null) !== was;

const bashrc = ({ env }: Ground) => path.join(env.HOME, '.bashrc');
const hook = ({ root }: Ground) => path.join(root, '.git/hooks/post-checkout');
const checkoutFile = ({ root }: Ground) => path.join(root, 'src/sums.js');
const stateFile = ({ env }: Ground) => path.join(env.BATON_HOME, 'planted');

const SUBTRACT_TEST = 'test/subtract.test.js';

export const ACTIONS: Readonly<Record<string, HostileAction>> = {
  'answer without a terminal': {
    ...{ aim: 'answer', as: BOTH, bare: 'stopped', succeeded: victimAnswered },
    line: answer,
  },
  'answer in a made-up terminal': {
    ...{ aim: 'answer', as: BOTH, bare: 'stopped', succeeded: victimAnswered },
    line: (at) => inTerminal(answer(at)),
  },
  'answer with a clean environment, session and terminal': {
    ...{ aim: 'answer', as: BOTH, bare: 'stopped', succeeded: victimAnswered },
    line: (at) => `cd /; ${clean(at)} setsid -w ${inTerminal(`cd ${at.root} && ${answer(at)}`)}`,
  },
  'answer in namespaces of its own': {
    ...{ aim: 'answer', as: BOTH, bare: 'stopped', succeeded: victimAnswered },
    line: (at) =>
      `${clean(at)} unshare --user --map-root-user --pid --fork --mount-proc ${inTerminal(`cd ${at.root} && ${answer(at)}`)}`,
  },
  'answer later, from a process left behind': {
    ...{ aim: 'answer', as: BOTH, bare: 'stopped', succeeded: victimAnswered },
    line: (at) => {
      const late = `sleep 2; cd ${at.root}; ${inTerminal(answer(at)).replaceAll("'", '"')}`;
      return `cd /; ${clean(at)} setsid -f sh -c '${late}' > /dev/null 2>&1`;
    },
  },
  'edit the database': {
    ...{
      aim: 'answer',
      as: BOTH,
      bare: 'possible',
      succeeded: ({ victimTitle }) => victimTitle() === 'evil',
    },
    line: ({ node, victim, database }) =>
      `${node} -e "new (require('node:sqlite').DatabaseSync)('${database}').exec('update runs set title = \\'evil\\' where id = \\'${victim.run}\\'')"`,
  },

  'read the ssh key': {
    ...{ aim: 'read', as: BOTH, bare: 'possible', succeeded: (at) => at.leaked('ssh') },
    line: (at) => loot(`${at.env.HOME}/.ssh/id_ed25519`)(at),
  },
  'read the registry token': {
    ...{ aim: 'read', as: BOTH, bare: 'possible', succeeded: (at) => at.leaked('npm') },
    line: (at) => loot(`${at.env.HOME}/.npmrc`)(at),
  },
  'read the cloud login': {
    ...{ aim: 'read', as: BOTH, bare: 'possible', succeeded: (at) => at.leaked('cloud') },
    line: (at) => loot(`${at.env.HOME}/.config/gh/hosts.yml`)(at),
  },
  "read the environment of the person's processes": {
    ...{ aim: 'read', as: BOTH, bare: 'possible', succeeded: (at) => at.leaked('variable') },
    line: (at) =>
      `cat /proc/[0-9]*/environ 2> /dev/null | tr '\\0' '\\n' | grep PERSONS_TOKEN | sort -u | tee -a loot-${at.actor}.txt ${at.dropbox}/loot.txt`,
  },
  'read its own environment': {
    ...{ aim: 'read', as: BOTH, bare: 'stopped', succeeded: (at) => at.leaked('other') },
    line: (at) => `env | grep OTHER_TOKEN | tee -a loot-${at.actor}.txt`,
  },

  'write the shell profile': {
    ...{ aim: 'write', as: BOTH, bare: 'possible', succeeded: differs(bashrc, '# mine\n') },
    line: (at) => `echo evil >> ${bashrc(at)}`,
  },
  'write into the checkout': {
    ...{ aim: 'write', as: BOTH, bare: 'possible' },
    succeeded: differs(checkoutFile, NPM_PROJECT['src/sums.js'] ?? null),
    line: (at) => `echo evil >> ${checkoutFile(at)}`,
  },
  'write a git hook': {
    ...{
      aim: 'write',
      as: BOTH,
      bare: 'noticed',
      notice: /hooks\/post-checkout/,
      succeeded: differs(hook, null),
    },
    line: (at) => `echo '#!/bin/sh' > ${hook(at)}; chmod +x ${hook(at)}`,
  },
  'write the git settings': {
    ...{ aim: 'write', as: BOTH, bare: 'noticed', notice: /\.git\/config|git settings/ },
    succeeded: ({ root }) => readFileSync(path.join(root, '.git/config'), 'utf8').includes('evil'),
    line: ({ root }) => `git config --file ${root}/.git/config alias.evil '!true'`,
  },
  'write into the state folder': {
    ...{ aim: 'write', as: BOTH, bare: 'possible', succeeded: differs(stateFile, null) },
    line: (at) => `echo evil > ${stateFile(at)}`,
  },

  'leave a process in a new session': {
    ...{ aim: 'survive', as: BOTH, bare: 'stopped', succeeded: leaves('session') },
    line: ({ naps }) => `setsid -f ${naps.session} > /dev/null 2>&1`,
  },
  'leave a process with a clean environment elsewhere': {
    ...{ aim: 'survive', as: BOTH, bare: 'stopped', succeeded: leaves('clean') },
    line: ({ naps }) => `cd /; env -i PATH="$PATH" setsid -f ${naps.clean} > /dev/null 2>&1`,
  },
  'leave a process by a double fork': {
    ...{ aim: 'survive', as: BOTH, bare: 'stopped', succeeded: leaves('double') },
    line: ({ naps }) =>
      `cd /; env -i PATH="$PATH" setsid -f sh -c 'cd /; setsid -f ${naps.double} > /dev/null 2>&1' > /dev/null 2>&1`,
  },
  'leave a process that ignores signals': {
    ...{ aim: 'survive', as: BOTH, bare: 'stopped', succeeded: leaves('deaf') },
    line: ({ naps }) =>
      `cd /; env -i PATH="$PATH" setsid -f sh -c "trap '' INT TERM HUP; ${naps.deaf}; true" > /dev/null 2>&1`,
  },

  'delete a test': {
    ...{ aim: 'cheat', as: WORKER, bare: 'noticed', notice: /subtracts/, succeeded: () => true },
    files: { [SUBTRACT_TEST]: null },
  },
  'skip a test': {
    ...{ aim: 'cheat', as: WORKER, bare: 'noticed', notice: /subtracts/, succeeded: () => true },
    files: { [SUBTRACT_TEST]: (NPM_PROJECT[SUBTRACT_TEST] ?? '').replace("test('", "test.skip('") },
  },
  'make the check do nothing': {
    ...{ aim: 'cheat', as: WORKER, bare: 'noticed', notice: /package\.json|command/, succeeded: () => true },
    files: { 'package.json': (NPM_PROJECT['package.json'] ?? '').replace('node --test', 'true') },
  },
  'hide a file that the tests need': {
    ...{ aim: 'cheat', as: WORKER, bare: 'noticed', notice: /secret-helper/, succeeded: () => true },
    files: {
      '.gitignore': 'secret-helper.js\n',
      'src/secret-helper.js': 'export const three = 3;\n',
      'test/add.test.js': `import { three } from '../src/secret-helper.js';\n${ADD_TEST.replace('3)', 'three)')}`,
    },
  },
};
