import type { Gate } from '../../src/contract/gate.ts';
import type { DriveHandle, StopPoint } from '../../src/runtime/views.ts';
import { changeNotes, deliverSpec, passing } from '../support/deliver-script.ts';
import type { Lab } from '../support/lab.ts';
import { editAndGive, giveResult, type Parts } from '../support/model-server/play-roles.ts';
import type { Step } from '../support/model-server/script.ts';

export const INPUT = {
  task: 'Add the sum of two numbers',
  mode: 'single',
  model_config: 'balanced',
} as const;

const FILES = {
  'src/sums.js': 'export const subtract = (a, b) => a - b;\nexport const add = (a, b) => a + b;\n',
  'test/add.test.js': [
    "import assert from 'node:assert';",
    "import test from 'node:test';",
    "import { add } from '../src/sums.js';",
    "test('adds', () => assert.equal(add(1, 2), 3));",
    '',
  ].join('\n'),
};

/** A model that plans, writes the change, and judges it. */
export const HAPPY: Parts = {
  planner_single: () => giveResult(deliverSpec()),
  generator_single: () => editAndGive(FILES, changeNotes()),
  evaluator: () => giveResult(passing().result),
};

/** The same, with one step of a role's first turn changed. */
export function spoiled(role: keyof typeof HAPPY, change: Partial<Step>): Parts {
  return {
    ...HAPPY,
    [role]: (brief) => {
      const [first = {}, ...rest] = HAPPY[role]?.(brief) ?? [];
      return [{ ...first, ...change }, ...rest];
    },
  };
}

/** What a person says who wants the change and nothing else. */
const ANSWERS: Readonly<Record<string, string>> = {
  conventions: 'skip',
  spec: 'proceed',
  commit: 'code_only',
};

/** Carries a run on, answering what a person would, to its end or to a gate that is not among the answers. */
export async function playOn(lab: Lab, drive: DriveHandle): Promise<StopPoint> {
  for (;;) {
    const rest = await drive.advance();
    const option = rest.gate && ANSWERS[rest.gate.name];
    if (!rest.gate || !option) return rest;
    await lab.answer(rest.gate as Gate, option);
  }
}

export async function startAndPlay(lab: Lab): Promise<StopPoint> {
  return playOn(lab, await lab.start('deliver', INPUT));
}
