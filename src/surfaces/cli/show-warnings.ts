import type { Msg } from '../../contract/brief.ts';
import type { Context } from './context.ts';
import { envLang } from './words.ts';

/** A warning with its text, for `--json`. */
type RenderedWarning = Msg & { readonly rendered: string };

/** The warnings for a person before a run starts here, in the language of the environment. */
export async function readWarnings({ deps }: Pick<Context, 'deps'>): Promise<RenderedWarning[]> {
  const t = await deps.translator(envLang(deps.env));
  return (await deps.warnings()).map((text) => ({ ...text, rendered: t(text) }));
}

/** Prints one marked line for each warning. */
export function showWarnings(
  { screen }: Pick<Context, 'screen'>,
  warnings: readonly RenderedWarning[],
): void {
  for (const { rendered } of warnings) screen.text(`${screen.paint('waits', '!')} ${rendered}`, '  ');
}
