import type { SpokenLang } from '../contract/lang.ts';

/** Baton's texts, by name. A file is read when one of its texts is first used. */
export interface Texts {
  /** The ICU text of a message. Undefined if the language has no message of this id. */
  message(id: string, lang: SpokenLang): string | undefined;
  /**
   * A prompt of src/prompts with its placeholders filled: `{{word}}` from `words`, `{{> file}}` from a file next to it.
   */
  prompt(name: string, words?: Readonly<Record<string, string>>): string;
}
