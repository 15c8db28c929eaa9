import type { OptionSpec } from '../../contract/gate.ts';
import type { GateTable } from '../../engine/workflow.ts';
import { conventionGates } from '../kit/conventions.ts';
import { type DeliverMessageId, say } from './messages.ts';

type Described = {
  [Id in DeliverMessageId]: `${Id}.effect` extends DeliverMessageId ? Id : never;
}[DeliverMessageId];

const option = <E extends OptionSpec['effect_on_run']>(id: Described, effect_on_run: E) => ({
  text: 'none' as const,
  effect_on_run,
  label: say(id),
  description: say(`${id}.effect` as DeliverMessageId),
});

/** An option that asks for text. Bare text typed at the gate selects it. */
const typed = (id: Described) => ({ ...option(id, 'settle'), text: 'required', bareText: true }) as const;

const decision = <O extends Readonly<Record<string, OptionSpec>>>(title: DeliverMessageId, options: O) =>
  ({ class: 'decision', title: say(title), options }) as const;

/** Every question a `deliver` run can ask. Gates have no timeout, because silence is not approval. */
export const deliverGates = {
  session: decision('deliver.session.title', {
    resume: option('deliver.session.resume', 'end'),
    restart: option('deliver.session.restart', 'settle'),
    stop: option('deliver.session.stop', 'end'),
    view: option('deliver.session.view', 'end'),
  }),
  session_conflict: decision('deliver.conflict.title', {
    delete_and_start: option('deliver.conflict.delete_and_start', 'settle'),
    cancel: option('deliver.conflict.cancel', 'end'),
  }),
  mode: decision('deliver.mode.title', {
    standard: option('deliver.mode.standard', 'settle'),
    single: option('deliver.mode.single', 'settle'),
    multi: option('deliver.mode.multi', 'settle'),
  }),
  model: decision('deliver.model.title', {
    balanced: option('deliver.model.balanced', 'settle'),
    default: option('deliver.model.default', 'settle'),
    'all-opus': option('deliver.model.all_opus', 'settle'),
    economy: option('deliver.model.economy', 'settle'),
    custom: typed('deliver.model.custom'),
  }),
  ...conventionGates,
  spec: decision('deliver.spec.title', {
    proceed: option('deliver.spec.proceed', 'settle'),
    modify: typed('deliver.spec.modify'),
    stop: option('deliver.spec.stop', 'hold'),
  }),
  verify: decision('deliver.verify.title', {
    auto_fix: option('deliver.verify.auto_fix', 'settle'),
    continue: option('deliver.verify.continue', 'settle'),
    as_is: option('deliver.verify.as_is', 'settle'),
    stop: option('deliver.verify.stop', 'hold'),
  }),
  auto_fix: decision('deliver.auto_fix.title', {
    apply: option('deliver.auto_fix.apply', 'settle'),
    reject: option('deliver.auto_fix.reject', 'settle'),
    stop: option('deliver.auto_fix.stop', 'settle'),
  }),
  qa: decision('deliver.qa.title', {
    fix: option('deliver.qa.fix', 'settle'),
    accept: option('deliver.qa.accept', 'settle'),
  }),
  wipe: decision('deliver.wipe.title', {
    no: option('deliver.wipe.no', 'settle'),
    yes: option('deliver.wipe.yes', 'settle'),
  }),
  commit: {
    ...decision('deliver.commit.title', {
      code_only: option('deliver.commit.code_only', 'end'),
      commit_all: option('deliver.commit.commit_all', 'end'),
      no_commit: option('deliver.commit.no_commit', 'end'),
    }),
    says_sandbox: true,
  },
} as const satisfies GateTable;
