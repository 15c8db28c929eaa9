type Tier = 'opus' | 'sonnet' | 'haiku';

const TIERS: readonly string[] = ['opus', 'sonnet', 'haiku'] satisfies Tier[];

/**
 * Parses tiers from a text like `executor:opus,advisor:haiku`, each role at most once. If that fails, it returns the
 * wrong part.
 */
export function parseTiers<Role extends string>(
  text: string,
  roles: readonly Role[],
): Partial<Record<Role, Tier>> | { readonly bad: string } {
  const given: Partial<Record<Role, Tier>> = {};
  for (const part of text.split(',').map((one) => one.trim())) {
    const [name = '', tier = '', ...rest] = part.split(':').map((one) => one.trim().toLowerCase());
    const role = roles.find((one) => one === name);
    if (role === undefined || !TIERS.includes(tier) || rest.length > 0 || given[role]) return { bad: part };
    given[role] = tier as Tier;
  }
  return given;
}
