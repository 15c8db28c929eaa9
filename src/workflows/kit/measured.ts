import type { Msg } from '../../contract/brief.ts';
import { type Measured, MOST_MEASURED } from '../../contract/measured.ts';
import type { StartFacts } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** Average cost of the completed runs in the start facts, one entry for each mode and preset (SP-12, WF-82). */
export function measure(runs: StartFacts['measured']): Measured[] {
  const found = runs.flatMap(({ state, cost }): Measured[] => {
    const { phase, mode, model_config } = state;
    const preset = (model_config as { readonly preset?: string } | null | undefined)?.preset ?? 'none';
    // A run that is in progress or was abandoned early does not show what a whole run costs.
    if (phase !== 'completed' || typeof mode !== 'string') return [];
    const { money_usd, money_unknown, tokens, seconds } = cost;
    return [{ mode, preset, runs: 1, money_usd: money_unknown ? null : money_usd, tokens, seconds }];
  });
  return [...Map.groupBy(found, ({ mode, preset }) => `${mode} ${preset}`).values()]
    .map(averageOf)
    .slice(0, MOST_MEASURED);
}

/** One line for each mode, or for each preset of one mode. Empty if nothing was measured. */
export function measuredLines(
  measured: readonly Measured[] | undefined,
  by: 'mode' | { readonly presets_of: string | null },
): Msg[] {
  const asked = (measured ?? []).filter((one) => by === 'mode' || one.mode === by.presets_of);
  const groups = Map.groupBy(asked, (one) => (by === 'mode' ? one.mode : one.preset));
  return [...groups].map(([name, those]) => {
    const { runs, money_usd, tokens, seconds } = averageOf(those);
    const money = money_usd === null ? 'unknown' : `$${money_usd.toFixed(2)}`;
    const minutes = Math.max(1, Math.round(seconds / 60));
    return say('measured.took', { name, runs, money, tokens: Math.round(tokens), minutes });
  });
}

/** Weights each entry by its number of runs. */
function averageOf(those: readonly Measured[]): Measured {
  const [first] = those;
  if (!first) throw new RangeError('an average of nothing');
  const runs = those.reduce((sum, one) => sum + one.runs, 0);
  const mean = (of: (one: Measured) => number) =>
    those.reduce((sum, one) => sum + of(one) * one.runs, 0) / runs;
  const known = those.every(({ money_usd }) => money_usd !== null);
  return {
    ...first,
    runs,
    money_usd: known ? mean(({ money_usd }) => money_usd ?? 0) : null,
    tokens: mean(({ tokens }) => tokens),
    seconds: mean(({ seconds }) => seconds),
  };
}
