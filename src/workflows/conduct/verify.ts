import type { BriefDoc, Text } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { Runbook } from '../../contract/conduct-work.ts';
import { ask, type Decision, query } from '../../engine/decide.ts';
import { callWorker, ticketSlots } from './calls.ts';
import { compose, docOf } from './compose.ts';
import { say } from './messages.ts';
import { go, type Next } from './moves.ts';

/** Released: observe the release, draft a runbook, then ask a person. A parent has no release of its own to observe. */
export function verify(state: ConductState): Decision<Next> {
  if (!state.parent_ticket && !state.observed) {
    const input = { sha: state.release.merged_sha ?? '', base: state.build_pr?.base ?? '' };
    return query('host.observe', input, (observed) => go(state, { observed }));
  }
  const slots = {
    ...ticketSlots(state),
    build: { json: state.build },
    observed: { json: state.observed },
    children: { json: state.children },
  };
  return callWorker(state, ask('verify', Runbook, slots), (written) => onRunbook(state, written));
}

function onRunbook(state: ConductState, { brief: written, steps }: Runbook): Next {
  const runbook = steps.map(({ criterion, do: act, expect, unverifiable }) => ({
    criterion,
    text: state.criteria.find(({ id }) => id === criterion)?.text ?? '',
    steps: `${act} -> ${expect}`.slice(0, 2_000),
    unverifiable,
  }));
  const after = { ...state, runbook };
  return compose(
    state,
    {
      reason: 'verification-ack-pending',
      doc: withRunbook(docOf(written), after),
      by: 'verify',
      pending_activity: 'verifying',
    },
    { runbook, idle_because: null },
  );
}

/** Messages of the engine that are made again whenever the criteria change. */
const OURS = [
  'conduct.context.evidence',
  'conduct.context.observed',
  'conduct.context.runbook',
  'conduct.context.runbook_unverifiable',
  'conduct.context.runbook_changed',
];

/** Puts the evidence line and the runbook first, made from the current criteria (CON-91). */
export function withRunbook(doc: BriefDoc, state: ConductState): BriefDoc {
  const written = doc.context.filter((text) => typeof text === 'string' || !OURS.includes(text.msg));
  return {
    ...doc,
    context: [evidenceLine(state), ...observedLine(state), ...runbookLines(state), ...written],
  };
}

function evidenceLine({ build, criteria, build_pr, exemption, parent_ticket }: ConductState): Text {
  const yes = (holds: boolean) => (holds ? 'yes' : 'no');
  return say('conduct.context.evidence', {
    tests: parent_ticket ? 'children' : exemption ? 'exempt' : yes((build?.checks.length ?? 0) > 0),
    criteria: `${criteria.filter(({ checked }) => checked).length}/${criteria.length}`,
    pull: parent_ticket ? 'children' : yes(build_pr !== null),
  });
}

function observedLine({ observed }: ConductState): Text[] {
  if (!observed?.configured) return [];
  return [
    say('conduct.context.observed', {
      ok: observed.ok ? 'yes' : 'no',
      output: observed.output.slice(0, 600),
    }),
  ];
}

/**
 * Marks criteria that cannot be verified. A criterion that was changed since has no step and must be checked by hand.
 */
function runbookLines({ criteria, runbook }: ConductState): Text[] {
  return criteria.map(({ id, text }) => {
    const step = runbook.find((one) => one.criterion === id && one.text === text);
    if (!step) return say('conduct.context.runbook_changed', { id, text });
    const args = { id, text, steps: step.steps };
    return step.unverifiable
      ? say('conduct.context.runbook_unverifiable', args)
      : say('conduct.context.runbook', args);
  });
}
