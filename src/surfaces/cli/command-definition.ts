import type { Command } from './context.ts';
import type { HelpId } from './help-messages.ts';

export interface OptionDefinition {
  /** As commander reads it: `--mode <mode>`, `--json`. */
  readonly flags: string;
  readonly says: HelpId;
  /** The only values allowed; anything else is a usage error that names them. */
  readonly allowed?: readonly string[];
  /** Taken as well, but not offered. */
  readonly also?: readonly string[];
  /** May be given several times. */
  readonly many?: true;
}

export interface CommandDefinition {
  readonly name: string;
  /** Another name for the same. */
  readonly alias?: string;
  readonly says: HelpId;
  /** As commander reads them: `<run>`, `[option]`, `<task...>`. */
  readonly args: readonly { readonly name: string; readonly says: HelpId }[];
  readonly options: readonly OptionDefinition[];
  /** Loaded only when the command is given: start-up is a feature. */
  readonly load: () => Promise<Command>;
}
