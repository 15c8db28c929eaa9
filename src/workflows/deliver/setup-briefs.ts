import type { Text } from '../../contract/brief.ts';
import type { DeliverState, SetupStage } from '../../contract/deliver.ts';
import type { GateSpec } from '../../contract/gate.ts';
import { brief } from '../../engine/whole-brief.ts';
import { measuredLines } from '../kit/measured.ts';
import { subjectOf } from './locations.ts';
import { say } from './messages.ts';

/** The live run of the same subject. */
export type Other = NonNullable<SetupStage['other']>;

/** A live run of this workflow works on the same subject (WF-26). */
export function sessionGate(state: DeliverState, { run, phase, title }: Other): GateSpec {
  const context: Text[] = [say('deliver.session.phase', { phase: phase ?? 'other' })];
  if (title !== null) context.unshift(say('deliver.session.other', { title }));
  return {
    name: 'session',
    brief: brief({
      decide: say('deliver.session.decide', { run, subject: subjectOf(state) }),
      recommend: { text: say('deliver.session.resume'), cede: true },
      context,
    }),
  };
}

/** A live run of another workflow owns this folder (WF-25). Nothing has been touched yet. */
export function conflictGate({ run, workflow, title }: Other): GateSpec {
  return {
    name: 'session_conflict',
    brief: brief({
      decide: say('deliver.conflict.decide', { run, workflow: workflow ?? '?' }),
      recommend: { text: say('deliver.conflict.cancel'), cede: true },
      context: title === null ? [] : [say('deliver.session.other', { title })],
    }),
  };
}

/** Asks how deep to plan. Without measurements, the gate shows the number of workers as the cost (WF-82). */
export function modeGate({ measured }: SetupStage): GateSpec {
  const took = measuredLines(measured, 'mode');
  return {
    name: 'mode',
    brief: brief({
      decide: say('deliver.mode.decide'),
      recommend: { text: say('deliver.mode.standard'), confidence: 'medium' },
      why: [say('deliver.mode.why')],
      context: took.length > 0 ? took : [say('deliver.mode.unmeasured')],
    }),
  };
}

export function modelGate({ mode }: DeliverState, { bad_model, measured }: SetupStage): GateSpec {
  return {
    name: 'model',
    brief: brief({
      decide: say('deliver.model.decide', { mode: mode ?? 'single' }),
      recommend: { text: say('deliver.model.balanced'), confidence: 'medium' },
      why: [say('deliver.model.why')],
      context: [say('deliver.model.form'), ...measuredLines(measured, { presets_of: mode })],
      banners: bad_model === null ? [] : [say('deliver.model.bad', { bad: bad_model })],
    }),
  };
}
