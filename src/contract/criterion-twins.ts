import type * as z from 'zod';

/** Refuses duplicate criterion ids. Letter case is ignored, because people would confuse them. */
export function refuseTwins(
  field: string,
  criteria: readonly { readonly id: string }[],
  ctx: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, { id }] of criteria.entries()) {
    const message = `criterion id ${id} is used twice`;
    if (seen.has(id.toLowerCase())) ctx.addIssue({ code: 'custom', path: [field, index, 'id'], message });
    seen.add(id.toLowerCase());
  }
}
