import type { Context } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';

/** The composition provides the demo. It answers gates as a person named `demo`, which this surface cannot do. */
export async function demo(context: Context): Promise<number> {
  return context.deps.demo ? context.deps.demo() : refuse(EXIT.refused, [context.words('cli.no_demo')]);
}
