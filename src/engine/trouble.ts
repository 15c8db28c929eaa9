import type { GateDefinition, GateSpec, OptionSpec } from '../contract/gate.ts';
import type { Trouble } from '../contract/run.ts';
import { brief } from './whole-brief.ts';

const option = (key: string, effect_on_run: 'settle' | 'hold'): OptionSpec => ({
  text: 'none',
  effect_on_run,
  label: { msg: `engine.trouble.option.${key}` },
  description: { msg: `engine.trouble.option.${key}.effect` },
});

/** The engine's own gates, one per kind of trouble. Only a person answers them. */
const OPTIONS = {
  infrastructure: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  budget: { extend: option('extend', 'settle'), stop: option('stop', 'hold') },
  disk: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  processes_left: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  tree_changed: {
    go_on: option('go_on', 'settle'),
    again: option('again', 'settle'),
    stop: option('stop', 'hold'),
  },
  unknown_effect: {
    happened: option('happened', 'settle'),
    again: option('again', 'settle'),
    stop: option('stop', 'hold'),
  },
} as const satisfies Record<Trouble['kind'], Record<string, OptionSpec>>;

export const troubleGates: Readonly<Record<string, GateDefinition>> = Object.fromEntries(
  Object.entries(OPTIONS).map(([kind, options]) => [
    `trouble_${kind}`,
    { class: 'trouble', title: { msg: `engine.trouble.${kind}.title` }, options },
  ]),
);

/** The engine's action on the blocked step after an answer to a trouble gate. */
export type TroubleWay = 'perform' | 'settle_as_done' | 'enter_again';

export const TROUBLE_WAYS: Readonly<Record<string, TroubleWay>> = {
  retry: 'perform',
  extend: 'perform',
  go_on: 'perform',
  happened: 'settle_as_done',
  again: 'enter_again',
};

type Args = Readonly<Record<string, string | number>>;

interface Variant {
  readonly decide?: string;
  readonly why?: string;
  /** An additional reason or way out of the same kind. */
  readonly more?: string;
}

/** Kinds of trouble whose text depends on one of their arguments. */
const VARIANTS: Readonly<Partial<Record<Trouble['kind'], (args: Args) => Variant>>> = {
  infrastructure: ({ cause = 'other' }) => ({
    ...(cause === 'world' ? { decide: '.world' } : { more: 'another' }),
    why: `.${cause}`,
  }),
  budget: ({ scope = 'run', stopped = 'no' }) => ({ decide: `.${scope}`, why: `.${stopped}` }),
};

/**
 * The gate of a kind of trouble. `args` holds what the person must know, such as `detail`: the path, the used-up budget
 * or the write that may have happened.
 */
export function troubleGate(kind: Trouble['kind'], args: Args): GateSpec {
  const told: Variant = VARIANTS[kind]?.(args) ?? {};
  const why = [`why${told.why ?? ''}`, ...(told.more ? [told.more] : [])];
  return {
    name: `trouble_${kind}`,
    brief: brief({
      decide: { msg: `engine.trouble.${kind}.decide${told.decide ?? ''}`, args },
      why: why.map((name) => ({ msg: `engine.trouble.${kind}.${name}`, args })),
    }),
  };
}
