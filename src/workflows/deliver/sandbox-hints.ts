import type { Msg } from '../../contract/brief.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { SandboxHint } from '../../contract/outcome.ts';
import { warning } from './moves.ts';

interface Hinted {
  readonly name: string;
  readonly hint?: SandboxHint | undefined;
}

/** For each check that may have failed because of the sandbox: what was missing, and the setting that allows it. */
export function checkHints(checks: readonly Hinted[] = []): Msg[] {
  return checks.flatMap(({ name, hint }) => {
    if (!hint) return [];
    const { code, path } = hint;
    return [{ msg: 'engine.sandbox.check_hint', args: { check: name, code, path: path ?? '' } }];
  });
}

/** The same hints as warnings for the progress output and the log. */
export function hintNotices(checks: readonly Hinted[]): MoveRecord[] {
  return checkHints(checks).map((text) => warning(text));
}
