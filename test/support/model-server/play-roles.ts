import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import { specRoles } from '../../../src/workflows/spec/roles.ts';
import { templateOf } from '../texts.ts';
import type { ModelRequest, Script, Step } from './script.ts';

/** A prompt of Baton, as the program passed it on. */
export interface Brief extends ModelRequest {
  readonly role: string;
  /** Where the prompt asks for the result. */
  readonly result_file: string;
  /** The worker is told what was wrong with its last result. */
  readonly correction: boolean;
}

/** What the model does in each role; a role that is not listed gets an answer no schema takes. */
export type Parts = Readonly<Record<string, (brief: Brief) => readonly Step[]>>;

/** Templates by role. A role that several workflows share has one template. */
const TEMPLATES: readonly (readonly [string, string])[] = [specRoles, deliverRoles].flatMap((roles) =>
  Object.entries(roles).map(([role, definition]) => [role, templateOf(definition)] as const),
);

const RESULT = /^Write exactly one JSON value .* to the file (.+), or, if you cannot write files, make$/m;

/**
 * Chooses by the role a prompt of Baton speaks to. Nothing in a prompt names the role; its template stands in it word
 * for word. A text without a template is no prompt of Baton.
 */
export function playRoles(parts: Parts): Script {
  return (asked) => {
    const role = findRole(asked.prompt);
    if (role === null) return null;
    const part = parts[role] ?? (() => [{ text: `No part for ${role}.` }]);
    return part({
      ...asked,
      role,
      result_file: findResultFile(asked.prompt),
      correction: isCorrected(asked),
    });
  };
}

export function findRole(prompt: string): string | null {
  return TEMPLATES.find(([, template]) => prompt.includes(template))?.[0] ?? null;
}

function findResultFile(prompt: string): string {
  return RESULT.exec(prompt)?.[1] ?? '';
}

function isCorrected({ prompt }: ModelRequest): boolean {
  return prompt.includes('\n# Correction\nYour last result could not be taken:');
}

/** A turn that ends with this value on the program's own result channel. */
export function giveResult(value: unknown): readonly Step[] {
  return [{ toolCalls: [{ structured: { value } }] }, { text: 'Done.' }];
}

/** A turn that writes these files, then ends with this value. */
export function editAndGive(files: Readonly<Record<string, string>>, value: unknown): readonly Step[] {
  const toolCalls = Object.entries(files).map(([path, content]) => ({ write: { path, content } }));
  return [{ text: 'I make the change.', toolCalls }, ...giveResult(value)];
}
