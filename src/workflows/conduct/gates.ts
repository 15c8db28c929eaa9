import type { OptionSpec } from '../../contract/gate.ts';
import type { GateTable } from '../../engine/workflow.ts';
import { say } from './messages.ts';

const accept = {
  text: 'optional',
  effect_on_run: 'settle',
  label: say('conduct.accept'),
  description: say('conduct.accept.clarify'),
} as const satisfies OptionSpec;
const reshape = {
  text: 'required',
  effect_on_run: 'settle',
  untyped: true,
  bareText: true,
  label: say('conduct.reshape'),
  description: say('conduct.reshape.effect'),
} as const satisfies OptionSpec;
const edit = {
  text: 'required',
  effect_on_run: 'settle',
  untyped: true,
  label: say('conduct.edit'),
  description: say('conduct.edit.effect', { example: '{"decide": "..."}' }),
} as const satisfies OptionSpec;
const deny = {
  text: 'optional',
  effect_on_run: 'settle',
  untyped: true,
  label: say('conduct.deny'),
  description: say('conduct.deny.effect'),
} as const satisfies OptionSpec;
/** The options of every pause with a brief (CON-108). */
const pause = { accept, reshape, edit, deny };

const forward = (gate: 'clarify' | 'decompose' | 'design' | 'plan') =>
  ({
    class: 'forward',
    title: say(`conduct.title.${gate}`),
    options: { ...pause, accept: { ...accept, description: say(`conduct.accept.${gate}`) } },
  }) as const;

export const conductGates = {
  clarify: forward('clarify'),
  decompose: forward('decompose'),
  design: forward('design'),
  plan: forward('plan'),
  release: {
    class: 'hard',
    says_sandbox: true,
    title: say('conduct.title.release'),
    options: { ...pause, accept: { ...accept, text: 'none', description: say('conduct.release.effect') } },
  },
  verify: {
    class: 'hard',
    title: say('conduct.title.verify'),
    options: {
      ...pause,
      accept: { ...accept, text: 'none', effect_on_run: 'end', description: say('conduct.verify.effect') },
      back: {
        text: 'required',
        effect_on_run: 'settle',
        untyped: true,
        label: say('conduct.back'),
        description: say('conduct.back.effect'),
      },
    },
  },
  /** All children are verified and no brief was drafted, so only an accept is offered (CON-79). */
  parent_ticket: {
    class: 'hard',
    title: say('conduct.title.parent_ticket'),
    options: {
      accept: { ...accept, text: 'none', effect_on_run: 'end', description: say('conduct.verify.effect') },
    },
  },
  patch: {
    class: 'decision',
    title: say('conduct.title.patch'),
    options: {
      ...pause,
      accept: { ...accept, description: say('conduct.accept.patch') },
      deny: { ...deny, description: say('conduct.patch.deny.effect') },
    },
  },
  reopen: {
    class: 'decision',
    title: say('conduct.title.reopen'),
    options: {
      accept: { ...accept, text: 'none', description: say('conduct.reopen.effect') },
      deny: { ...deny, description: say('conduct.reopen.deny.effect') },
    },
  },
  build_go: {
    class: 'decision',
    title: say('conduct.title.build_go'),
    options: { accept: { ...accept, text: 'none', description: say('conduct.build_go.effect') }, deny },
  },
  approval: {
    class: 'decision',
    says_sandbox: true,
    title: say('conduct.title.approval'),
    options: {
      look_again: {
        text: 'none',
        effect_on_run: 'settle',
        label: say('conduct.look_again'),
        description: say('conduct.look_again.effect'),
      },
      deny,
    },
  },
  round: {
    class: 'question',
    title: say('conduct.title.round'),
    options: {
      answer: {
        text: 'none',
        effect_on_run: 'settle',
        fields: true,
        label: say('conduct.answer'),
        description: say('conduct.answer.effect'),
      },
    },
  },
  trouble: {
    class: 'trouble',
    title: say('conduct.title.trouble'),
    options: {
      retry: {
        text: 'none',
        effect_on_run: 'settle',
        label: say('conduct.retry'),
        description: say('conduct.retry.effect'),
      },
      deny: { ...deny, label: say('conduct.park'), description: say('conduct.deny.effect') },
    },
  },
} as const satisfies GateTable;

export type ConductGate = keyof typeof conductGates;
