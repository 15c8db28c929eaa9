import type { OptionSpec } from '../../contract/gate.ts';
import type { GateTable } from '../../engine/workflow.ts';
import { conventionGates } from '../kit/conventions.ts';
import { type SpecMessageId, say } from './messages.ts';

type Described = { [Id in SpecMessageId]: `${Id}.effect` extends SpecMessageId ? Id : never }[SpecMessageId];

/** The literal types of `text` and `effect_on_run` decide which continuation an option needs. */
const option = <E extends OptionSpec['effect_on_run'], T extends OptionSpec['text'] = 'none'>(
  id: Described,
  effect_on_run: E,
  more: Omit<Partial<OptionSpec>, 'effect_on_run' | 'text'> & { readonly text?: T } = {},
): OptionSpec & { readonly effect_on_run: E; readonly text: T } => ({
  text: 'none' as T,
  effect_on_run,
  label: say(id),
  description: say(`${id}.effect` as SpecMessageId),
  ...more,
});

/** Every question a `spec` run can ask. Gates have no timeout, because silence is not approval. */
export const specGates = {
  session: {
    class: 'decision',
    title: say('spec.session.title'),
    options: {
      resume: option('spec.session.resume', 'end'),
      restart: option('spec.session.restart', 'settle'),
      stop: option('spec.session.stop', 'end'),
      view: option('spec.session.view', 'end'),
    },
  },
  routing: {
    class: 'decision',
    title: say('spec.routing.title'),
    options: {
      continue: option('spec.routing.continue', 'settle'),
      deliver: option('spec.routing.deliver', 'end'),
      stop: option('spec.routing.stop', 'end'),
    },
  },
  slug_collision: {
    class: 'decision',
    title: say('spec.collision.title'),
    options: {
      timestamp: option('spec.collision.timestamp', 'settle'),
      overwrite: option('spec.collision.overwrite', 'settle'),
      stop: option('spec.collision.stop', 'end'),
    },
  },
  mode: {
    class: 'decision',
    title: say('spec.mode.title'),
    options: { quick: option('spec.mode.quick', 'settle'), deep: option('spec.mode.deep', 'settle') },
  },
  model: {
    class: 'decision',
    title: say('spec.model.title'),
    options: {
      default: option('spec.model.default', 'settle'),
      'all-opus': option('spec.model.all-opus', 'settle'),
      balanced: option('spec.model.balanced', 'settle'),
      economy: option('spec.model.economy', 'settle'),
      custom: option('spec.model.custom', 'settle', { text: 'required', bareText: true }),
    },
  },
  model_confirm: {
    class: 'decision',
    title: say('spec.model.confirm.title'),
    options: {
      use: option('spec.model.confirm.use', 'settle'),
      change: option('spec.model.confirm.change', 'settle'),
    },
  },
  ...conventionGates,
  questions: {
    class: 'question',
    title: say('spec.questions.title'),
    options: {
      answer: option('spec.questions.answer', 'settle', { fields: true }),
      skip: option('spec.questions.skip', 'settle'),
      no_more: option('spec.questions.no_more', 'settle'),
    },
  },
  analysts: {
    class: 'decision',
    title: say('spec.analysts.title'),
    options: {
      retry: option('spec.analysts.retry', 'settle'),
      notes_only: option('spec.analysts.notes_only', 'settle'),
      stop: option('spec.analysts.stop', 'hold'),
    },
  },
  /**
   * Offers a revision only for findings of a first review. In all other cases it offers only Approve as-is and Stop.
   */
  critic: {
    class: 'decision',
    title: say('spec.critic.title'),
    options: {
      auto_revise: option('spec.critic.auto_revise', 'settle'),
      modify: option('spec.critic.modify', 'settle', { text: 'required' }),
      approve: option('spec.critic.approve', 'settle'),
      stop: option('spec.critic.stop', 'settle'),
    },
  },
  approval: {
    class: 'decision',
    title: say('spec.approval.title'),
    options: {
      approve: option('spec.approval.approve', 'settle'),
      modify: option('spec.approval.modify', 'settle', { text: 'required', bareText: true }),
      stop: option('spec.approval.stop', 'end'),
    },
  },
  /** Both options end the run. The documents stay either way, and the answer has no deadline. */
  next_step: {
    class: 'decision',
    title: say('spec.next.title'),
    options: {
      start_deliver: option('spec.next.start_deliver', 'end'),
      done: option('spec.next.done', 'end'),
    },
  },
} as const satisfies GateTable;
