import type { ModelConfig } from '../../contract/spec.ts';

type Preset = Exclude<ModelConfig['preset'], 'custom'>;
type CustomTier = 'opus' | 'sonnet' | 'haiku';

/** The presets (SP-58). Every worker of a deep run is an advisor; `inherit` is the agent's own default. */
export const PRESETS: Readonly<Record<Preset, ModelConfig>> = {
  default: { preset: 'default', executor: 'inherit', advisor: 'inherit' },
  'all-opus': { preset: 'all-opus', executor: 'opus', advisor: 'opus' },
  balanced: { preset: 'balanced', executor: 'sonnet', advisor: 'opus' },
  economy: { preset: 'economy', executor: 'haiku', advisor: 'sonnet' },
};

const TIERS: readonly string[] = ['opus', 'sonnet', 'haiku'] satisfies CustomTier[];
const ROLES: readonly string[] = ['executor', 'advisor'];

/** The models a text names: a preset, or `executor:<m>,advisor:<m>`; else the part of it that is wrong. */
export function parseModels(text: string): ModelConfig | { readonly bad: string } {
  const plain = text.trim().toLowerCase();
  if (Object.hasOwn(PRESETS, plain)) return PRESETS[plain as Preset];
  const given = new Map<string, string>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const [role = '', tier = '', ...rest] = part.split(':').map((one) => one.trim().toLowerCase());
    const known = ROLES.includes(role) && TIERS.includes(tier) && rest.length === 0 && !given.has(role);
    if (!known) return { bad: part };
    given.set(role, tier);
  }
  return { ...PRESETS.balanced, ...(Object.fromEntries(given) as Partial<ModelConfig>), preset: 'custom' };
}

/** The text that gives the same models again: `parseModels` reads it back. */
export function modelsText({ preset, executor, advisor }: ModelConfig): string {
  return preset === 'custom' ? `executor:${executor},advisor:${advisor}` : preset;
}
