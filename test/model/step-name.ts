import type { CurrentStep } from '../../src/contract/run.ts';
import type { Step } from '../../src/contract/step.ts';
import type { At } from '../../src/engine/write-change.ts';

/** A step by what it does, without what it says. */
export function stepName(step: Step | CurrentStep): string {
  switch (step.kind) {
    case 'gate':
      return `gate ${'name' in step ? step.name : step.gate.name}`;
    case 'work':
      return `work ${step.calls.map(({ role }) => role).join('+')}`.trim();
    case 'check':
      return `check ${step.checks.map(({ name }) => name).join('+')}`.trim();
    case 'query':
      return `query ${step.what.what}`;
    case 'wait':
      return `wait ${step.until.kind}`;
    case 'end':
      return `end ${step.outcome.result}`;
    default:
      return `${step.kind} ${step.op.op}`;
  }
}

/** Where a run stands, in the words of a path. */
export function labelOf({ run }: At): string {
  const more = [run.trouble ? `before it ${run.trouble.kind}` : '', run.halt ? run.halt.kind : ''];
  return [`${run.phase}: ${stepName(run.step)}`, ...more].filter((part) => part !== '').join(', ');
}
