import { describe, expect, test } from 'vitest';
import { type PureRun, refusedSignal, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  answers,
  BEEF,
  BUILD,
  childNotice,
  command,
  decomposed,
  designed,
  drafts,
  entriesOf,
  HOST,
  PULL,
  parts,
  passes,
  patched,
  planned,
  presented,
  releaseDrafted,
  stale,
  stateOf,
  upTo,
} from './fixture.ts';

const queried = (run: PureRun) => settlePure(run, { kind: 'queried', found: HOST });
const goes = () => accepts(releaseDrafted(upTo('Built')));
const merging = () => queried(goes());
const deploying = () =>
  settlePure(merging(), { kind: 'written', result: { merged_sha: BEEF, base: 'main' } });
/** A write that was on its way while the ticket changed comes back to the ticket as it is now. */
const late = (changed: PureRun, writing: PureRun, result: unknown) =>
  settlePure({ ...changed, step: writing.step }, { kind: 'written', result });
const split = () => accepts(drafts(upTo('Clarified'), decomposed({ children: parts('a', 'b') })));
const ask = (run: PureRun) =>
  run.def.delegate?.(run.state, { mode: { kind: 'unattended' }, trust: 'balanced', content: '' });

describe('release', () => {
  test('CON-86 a decision that changes after the accept takes the go back: the patch is no word to merge', () => {
    for (const run of [goes(), merging(), deploying()]) {
      const patch = accepts(drafts(stale(run), patched()));
      expect(stateOf(patch).release.accepted).toBeNull();
      expect(patch.step).toMatchObject({ kind: 'query', what: { what: 'host.release' } });
      expect(releaseDrafted(patch).step).toMatchObject({ kind: 'gate', gate: { name: 'release' } });
    }
  });

  test('what was deployed while the ticket became stale or was parked is not deployed again', () => {
    const aside = [
      (run: PureRun) => drafts(late(stale(run), run, { deployed: true }), patched()),
      (run: PureRun) => late(command(run, 'park'), run, { deployed: true }),
    ];
    for (const leave of aside) {
      const left = leave(deploying());
      const back =
        stateOf(left).phase === 'Parked' ? command(command(left, 'unpark'), 'conduct') : accepts(left);
      const again = queried(accepts(releaseDrafted(back)));
      expect(stateOf(again).phase).toBe('Released');
      expect(entriesOf(again, 'deploy')).toMatchObject([{ sha: BEEF }]);
    }
  });
});

describe('a brief written outside', () => {
  const doc = { decide: 'Release it?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
  const shown = ({ step }: PureRun) => JSON.stringify(step.kind === 'gate' ? step.gate.brief.context : null);

  test('CON-87 CON-91 shows what the host and the paths say all the same, and so does one a person edited', () => {
    const paths = ['db/migrations/1.sql'];
    const red = { readable: true, why: null, state: 'failed', list: [{ name: 'ci', state: 'failed' }] };
    const drafted = releaseDrafted(upTo('Built'), { paths, checks: red });
    const outside = command(drafted, 'compose', { reason: 'release-decision-pending', doc });
    const edited = answers(drafted, 'edit', JSON.stringify({ context: ['All is well.'] }));
    for (const run of [outside, edited]) {
      expect(shown(run)).toContain('data-migration');
      expect(shown(run)).toContain('ci: failed');
    }
    const verify = command(upTo('Released'), 'compose', {
      reason: 'verification-ack-pending',
      doc,
      pending_activity: 'verifying',
    });
    expect(shown(verify)).toContain('conduct.context.evidence');
  });

  test('CON-66 an edit does not take away that a person must approve what a bot wrote', () => {
    const bot = settlePure(
      signalPure(presented(passes(upTo('Planned'))), {
        type: 'message',
        from: 'de-1',
        name: 'built',
        data: BUILD,
      }),
      { kind: 'written', result: { ...PULL, author_is_bot: true } },
    );
    const edited = answers(releaseDrafted(bot), 'edit', '{"context":[]}');
    expect(shown(edited)).toContain('engine.brief.human_approval');
  });
});

describe('two decisions superseded one after the other', () => {
  const other = (run: PureRun) =>
    signalPure(run, {
      type: 'fact',
      what: 'superseded',
      value: { type: 'convention', id: 'D-2', superseded_by: null },
    });

  test.each(['accept', 'deny'])(
    'CON-93 CON-97 %s of the first patch leaves the second to be patched',
    (verb) => {
      const shown = drafts(command(stale(upTo('Designed')), 'conduct'), patched());
      const again = other(other(shown));
      expect(stateOf(again)).toMatchObject({ stale: { id: 'D-1' }, brief: stateOf(shown).brief });
      const first = answers(again, verb, verb === 'deny' ? 'we know' : null);
      expect(stateOf(first)).toMatchObject({ stale: { id: 'D-2' }, stale_more: [], brief: null });
      expect(first.step).toMatchObject({ kind: 'query' });
      const second = accepts(drafts(first, patched()));
      expect(stateOf(second)).toMatchObject({ phase: 'Designed', stale: null, stale_more: [] });
    },
  );

  test('rework takes up both: going back makes the ticket anew', () => {
    const rework = patched({ rework: 'revising-decomposing' });
    const shown = other(drafts(command(stale(upTo('Designed')), 'conduct'), rework));
    expect(stateOf(accepts(shown))).toMatchObject({ phase: 'Decomposed', stale: null, stale_more: [] });
  });
});

describe('a parent', () => {
  const verified = (run: PureRun) => childNotice(childNotice(run, 13, 'a', 'Verified'), 14, 'b', 'Verified');
  const rolledUp = { phase: 'Released', parent_ticket: true };

  test('CON-78 whose children are done while it is parked rolls up when it comes back', () => {
    const back = command(verified(command(split(), 'park')), 'unpark');
    expect(stateOf(back)).toMatchObject({ phase: 'Decomposed' });
    expect(stateOf(passes(back))).toMatchObject(rolledUp);
  });

  test('CON-78 whose children are done while it is stale rolls up once it is patched', () => {
    const waiting = verified(stale(split()));
    expect(stateOf(waiting)).toMatchObject({ phase: 'Decomposed' });
    const shown = drafts(command(waiting, 'conduct'), patched());
    expect(stateOf(passes(accepts(shown)))).toMatchObject(rolledUp);
    expect(stateOf(passes(answers(shown, 'deny', 'we know')))).toMatchObject(rolledUp);
  });

  test('CON-78 split again into children that are done already rolls up', () => {
    const fates = { 'B-13': 'keep', 'B-14': 'keep' };
    const asked = command(
      childNotice(childNotice(split(), 13, 'a', 'Verified'), 14, 'b', 'Clarified'),
      'reopen',
      {
        to: 'decompose',
        why: 'x',
        fates,
      },
    );
    const back = settlePure(accepts(asked), { kind: 'worked', calls: [] });
    expect(stateOf(back).phase).toBe('Clarified');
    const done = childNotice(back, 14, 'b', 'Verified');
    const again = accepts(drafts(done, decomposed({ children: parts('a', 'b') })));
    expect(stateOf(passes(again))).toMatchObject(rolledUp);
  });

  test('takes no child more once it was rolled up: nobody who answers for it has seen that one', () => {
    const adopting = {
      type: 'command',
      command: 'adopt',
      by: 'ada',
      args: { id: 'B-9', title: 'x', state: 'Idea' },
    } as const;
    expect(refusedSignal(verified(split()), adopting).message.msg).toBe('conduct.rolled_up');
    const adopted = command(verified(command(split(), 'park')), 'adopt', adopting.args);
    expect(stateOf(command(adopted, 'unpark'))).toMatchObject({ phase: 'Decomposed', hops: [] });
  });
});

describe('what a person said', () => {
  test('INV-14 a reshape is taken up by the redraft even if the ticket became stale before it', () => {
    const reshaped = answers(drafts(upTo('Designed'), planned()), 'reshape', 'smaller steps');
    const patch = accepts(drafts(stale(reshaped), patched()));
    expect(
      JSON.stringify(settlePure(patch, { kind: 'queried', found: { entries: [], linked: [] } }).step),
    ).toContain('smaller steps');
    const again = drafts(patch, planned());
    expect(entriesOf(again, 'consumed')).toMatchObject([{ marker: 'reshape', detail: 'smaller steps' }]);
  });

  test('CON-110 a brief a person changed is a person’s still when a patch came in between', () => {
    for (const change of [
      (run: PureRun) => answers(run, 'edit', '{"why":["x"]}'),
      (run: PureRun) => answers(run, 'reshape', 'smaller steps'),
    ]) {
      const changed = change(drafts(upTo('Designed'), planned()));
      const again = drafts(accepts(drafts(stale(changed), patched())), planned());
      expect(ask(again)).toEqual({ kind: 'pause', cause: 'revised' });
      expect(ask(drafts(accepts(drafts(upTo('Decomposed'), designed()), ADA), planned()))).toEqual({
        kind: 'accept',
      });
    }
  });

  test('a way back that is asked for once more with other fates is another question', () => {
    const worked = childNotice(childNotice(split(), 13, 'a', 'Clarified'), 14, 'b', 'Clarified');
    const options = (fate: string) => ({
      to: 'decompose',
      why: 'x',
      fates: { 'B-13': 'keep', 'B-14': fate },
    });
    const first = command(worked, 'reopen', options('keep'));
    const second = command(first, 'reopen', options('cancel'));
    const shown = ({ step }: PureRun) => (step.kind === 'gate' ? step.gate : null);
    const bound = (run: PureRun) => {
      const gate = shown(run);
      return JSON.stringify([gate?.brief.decide, gate?.brief.items, gate?.brief.banners, gate?.edition]);
    };
    expect(bound(second)).not.toBe(bound(first));
  });
});
