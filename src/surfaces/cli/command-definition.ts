import type { Command } from './context.ts';
import type { HelpId } from './help-messages.ts';

export interface OptionDefinition {
  /** As commander reads it: `--mode <mode>`, `--json`. */
  readonly flags: string;
  readonly says: HelpId;
  /** The only allowed values. Any other value is a usage error that lists them. */
  readonly allowed?: readonly string[];
  /** Values that are also accepted but are not listed as choices. */
  readonly also?: readonly string[];
  /** May be given several times. */
  readonly many?: true;
}

export interface CommandDefinition {
  readonly name: string;
  /** Another name for the same command. */
  readonly alias?: string;
  readonly says: HelpId;
  /** As commander reads them: `<run>`, `[option]`, `<task...>`. */
  readonly args: readonly { readonly name: string; readonly says: HelpId }[];
  readonly options: readonly OptionDefinition[];
  /** Loaded only when the command is used, so that start-up stays fast. */
  readonly load: () => Promise<Command>;
}
