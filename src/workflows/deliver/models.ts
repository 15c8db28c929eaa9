import type { ModelConfig } from '../../contract/deliver.ts';
import type { Tier } from '../../contract/step.ts';
import { parseTiers } from '../kit/model-text.ts';

type Preset = Exclude<ModelConfig['preset'], 'custom'>;
type Named = Exclude<Tier, 'inherit'>;
type Kind = 'executor' | 'advisor' | 'evaluator' | 'scanner';

/** The presets (WF-78): the tier of each kind of role. The verifier is separate: a flag, or haiku. */
export const PRESETS = {
  default: { executor: 'inherit', advisor: 'inherit', evaluator: 'inherit', scanner: 'inherit' },
  'all-opus': { executor: 'opus', advisor: 'opus', evaluator: 'opus', scanner: 'opus' },
  balanced: { executor: 'sonnet', advisor: 'opus', evaluator: 'opus', scanner: 'opus' },
  economy: { executor: 'haiku', advisor: 'sonnet', evaluator: 'sonnet', scanner: 'haiku' },
} as const satisfies Record<Preset, Record<Kind, Tier>>;

const DEFAULT_VERIFIER: Named = 'haiku';

/**
 * The kind of each role (WF-78). All other roles are advisors, including the planner of single mode and the proposer.
 */
const KINDS: Readonly<Record<string, Kind>> = {
  lead_developer: 'executor',
  generator_single: 'executor',
  implementation: 'executor',
  evaluator: 'evaluator',
  convention_scanner: 'scanner',
};

/**
 * Tier of a role under a configuration. The preset default uses the adapter's own model, except that the proposer asks
 * for opus.
 */
export function tierOf(role: string, config: ModelConfig | null): Tier {
  const kind = KINDS[role] ?? 'advisor';
  if (config === null || config.preset === 'default') {
    return role === 'auto_fix_proposer' ? 'opus' : PRESETS.default[kind];
  }
  if (kind !== 'scanner') return config[kind];
  return PRESETS[config.preset === 'custom' ? 'balanced' : config.preset].scanner;
}

export function presetConfig(preset: Preset, verifier: Named = DEFAULT_VERIFIER): ModelConfig {
  if (preset === 'default') return { preset, verifier };
  const { executor, advisor, evaluator } = PRESETS[preset];
  return { preset, executor, advisor, evaluator, verifier };
}

const ROLES = ['executor', 'advisor', 'evaluator'] as const;

/** Parses a preset, or `executor:<m>,advisor:<m>,evaluator:<m>`. If that fails, it returns the part that is wrong. */
export function parseModels(
  text: string,
  verifier: Named = DEFAULT_VERIFIER,
): ModelConfig | { readonly bad: string } {
  const plain = text.trim().toLowerCase();
  if (Object.hasOwn(PRESETS, plain)) return presetConfig(plain as Preset, verifier);
  const given = parseTiers(text, ROLES);
  if ('bad' in given) return given;
  const { executor, advisor, evaluator } = PRESETS.balanced;
  return { preset: 'custom', executor, advisor, evaluator, ...given, verifier };
}

/** The text that gives the same models again. `parseModels` reads it back. */
export function modelsText(config: ModelConfig): string {
  if (config.preset !== 'custom') return config.preset;
  return ROLES.map((role) => `${role}:${config[role]}`).join(',');
}
