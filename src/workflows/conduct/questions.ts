import { type ConductState, TICKET_CAPS } from '../../contract/conduct.ts';
import type { Decision } from '../../engine/decide.ts';
import { brief } from '../../engine/whole-brief.ts';
import { provePresent, readyToBuild } from './build.ts';
import { askPerson } from './calls.ts';
import { conductGates } from './gates.ts';
import { say } from './messages.ts';
import { actorOf, andThen, go, type Next, notice, travel } from './moves.ts';
import { executeReopen } from './reopen.ts';
import { defer } from './resolve.ts';

/** All children are verified, so a person's accept is enough, with or without a brief (CON-79). */
export function askAboutParent(state: ConductState): Decision<Next> {
  const { run, children } = state;
  const spec = {
    name: 'parent_ticket',
    brief: brief({
      decide: say('conduct.parent_ticket.decide', { run }),
      context: children.map((child) => `${child.id ?? ''} ${child.title} (${child.state})`),
      tail: say('conduct.parent_ticket.tail', { run }),
    }),
    typed: run,
  };
  return askPerson(state, conductGates.parent_ticket, spec, {
    accept: (answer) => {
      const by = actorOf(answer.by);
      const data = {
        brief: null,
        reason: 'verification-ack-pending',
        command: 'accept',
        provenance: by.provenance,
        by: by.name,
      };
      const moved = andThen(travel(state, 'verifying', by, answer.at), (after) =>
        go(after, { ended: true, idle_because: null }),
      );
      return { ...moved, records: [{ kind: 'decision', name: 'brief_resolved', data }, ...moved.records] };
    },
  });
}

/** A person requested a way back. If they decline now, the ticket stays where it is. */
export function askAboutReopening(
  state: ConductState,
  { to, hops, why, fates, asked: edition }: NonNullable<ConductState['reopening']>,
): Decision<Next> {
  const lost = state.decided.map(({ id }) => id).join(', ');
  const spec = {
    name: 'reopen',
    brief: brief({
      decide: say('conduct.reopen.decide', { run: state.run, to }),
      why: [why],
      context: [
        say('conduct.reopen.hops', { hops: hops.join(', ') }),
        ...(lost === '' ? [] : [say('conduct.reopen.superseded', { list: lost })]),
        ...Object.entries(fates).map(([id, fate]) => say('conduct.reopen.fate', { id, fate })),
      ],
    }),
    edition,
  };
  return askPerson(state, conductGates.reopen, spec, {
    accept: ({ by, at }) => executeReopen(state, actorOf(by), at),
    deny: () =>
      go(state, { reopening: null }, [notice(say('conduct.notice.not_reopened', { run: state.run }))]),
  });
}

/** A drive accepted the plan, but a person must give the go to build (S9). The brief shows the plan again. */
export function askForGo(state: ConductState): Decision<Next> {
  const { run, plan, checklist } = state;
  const spec = {
    name: 'build_go',
    brief: brief({
      decide: say('conduct.build_go.decide', { run, decision: plan?.accepted?.decision ?? 'none' }),
      context: [
        ...(plan ? [plan.text] : []),
        ...checklist.map(({ text }) => say('conduct.context.step', { text })),
      ],
    }),
  };
  return askPerson(state, conductGates.build_go, spec, {
    accept: (answer) => {
      const { name, provenance } = actorOf(answer.by);
      const given = go(state, { plan: plan && { ...plan, go: true } }, [
        { kind: 'decision', name: 'build_go', data: { by: name, provenance } },
      ]);
      return andThen(given, readyToBuild);
    },
    deny: (answer) => defer(state, answer),
  });
}

/** The pull request of a bot needs an approval at the host. The person says when to query it again. */
export function askForApproval(state: ConductState): Decision<Next> {
  const spec = {
    name: 'approval',
    brief: brief({
      decide: say('conduct.approval.decide', { run: state.run }),
      context: [state.build_pr?.pr_url ?? ''],
    }),
  };
  return askPerson(state, conductGates.approval, spec, {
    look_again: () => go(state, { release: { ...state.release, stage: 'recheck' } }),
    deny: (answer) => defer(state, answer),
  });
}

type Round = NonNullable<ConductState['round']>;

/** Passes the answers to the part that asked. The next draft uses each set of answers once (CON-100). */
export function askRound(state: ConductState, round: Round): Decision<Next> {
  const { questions, by } = round;
  const spec = {
    name: 'round',
    brief: brief({ decide: say('conduct.round.decide', { by, n: questions.length }) }),
    fields: questions.map(({ id, text }) => ({ id, text, required: true })),
  };
  return askPerson(state, conductGates.round, spec, {
    answer: ({ fields, by }) => {
      const answers = questions.map(({ id, text }) => ({ question: text, answer: fields[id] ?? '' }));
      const first = go(state, { round: null }, [
        { kind: 'entry', name: 'answers', data: { round: round.id, by: actorOf(by).name, answers } },
      ]);
      const texts = answers.map(({ answer }) => answer);
      return andThen(first, (now) => ON_ROUND[round.kind](now, texts));
    },
  });
}

const ON_ROUND: Readonly<Record<Round['kind'], (state: ConductState, answers: readonly string[]) => Next>> = {
  worker: (state) => go(state, {}),
  /** Each line is a criterion. Then the build starts. */
  criteria: (state, answers) => {
    const lines = answers
      .flatMap((text) => text.split('\n'))
      .map((line) =>
        line
          .replace(/^[-*\s]+/, '')
          .trim()
          .slice(0, 300),
      );
    const texts = lines.filter((line) => line !== '').slice(0, 20);
    const first = state.counts.criteria;
    const criteria = texts.map((text, i) => ({ id: `AC-${first + i + 1}`, text, checked: false }));
    const counts = { ...state.counts, criteria: first + texts.length };
    const all = [...state.criteria, ...criteria].slice(0, TICKET_CAPS.criteria);
    return readyToBuild({ ...state, criteria: all, counts });
  },
  tests: (state, [why = '']) => provePresent({ ...state, exemption: why.slice(0, 2_000) }),
  pulls: (state) => go(state, {}),
  stuck: (state) => go(state, {}),
};

/** A person decides after a fault: repeat the same step, or park the ticket. A build without a result starts again. */
export function askAboutTrouble(
  state: ConductState,
  { fault, what, detail }: NonNullable<ConductState['trouble']>,
): Decision<Next> {
  const { run, phase } = state;
  const spec = {
    name: 'trouble',
    brief: brief({
      decide: say('conduct.trouble.decide', { run, what }),
      context: [
        say('conduct.trouble.fault', { fault: fault.replaceAll('-', '_'), detail }),
        say('conduct.trouble.stays', { run, phase }),
      ],
    }),
  };
  return askPerson(state, conductGates.trouble, spec, {
    retry: () => {
      const again = phase === 'Planned' && state.building === null && state.plan?.go;
      const lifted = { ...state, trouble: null, rounds_asked: 0 };
      return again ? readyToBuild(lifted) : go(lifted, {});
    },
    deny: (answer) => defer(state, answer),
  });
}
