import type { ModelConfig } from '../../contract/spec.ts';
import { parseTiers } from '../kit/model-text.ts';

type Preset = Exclude<ModelConfig['preset'], 'custom'>;

/** The presets (SP-58). Every worker of a deep run is an advisor. `inherit` is the agent's own default. */
export const PRESETS: Readonly<Record<Preset, ModelConfig>> = {
  default: { preset: 'default', executor: 'inherit', advisor: 'inherit' },
  'all-opus': { preset: 'all-opus', executor: 'opus', advisor: 'opus' },
  balanced: { preset: 'balanced', executor: 'sonnet', advisor: 'opus' },
  economy: { preset: 'economy', executor: 'haiku', advisor: 'sonnet' },
};

/** Parses a preset, or `executor:<m>,advisor:<m>`. If that fails, it returns the part that is wrong. */
export function parseModels(text: string): ModelConfig | { readonly bad: string } {
  const plain = text.trim().toLowerCase();
  if (Object.hasOwn(PRESETS, plain)) return PRESETS[plain as Preset];
  const given = parseTiers(text, ['executor', 'advisor']);
  return 'bad' in given ? given : { ...PRESETS.balanced, ...given, preset: 'custom' };
}

/** The text that gives the same models again. `parseModels` reads it back. */
export function modelsText({ preset, executor, advisor }: ModelConfig): string {
  return preset === 'custom' ? `executor:${executor},advisor:${advisor}` : preset;
}
