import { SPEC_PARTS } from './spec-parts.ts';

/** Words with authority for the synthesis. `analysts`: the blocks with their analyses, by name. */
export function synthesisPrompt(analysts: readonly string[]): string {
  const blocks = analysts.map((role) => `"${role}"`).join(', ');
  return `
You write one specification from an idea (block "task"), the questions and answers about it (block "notes") and the
analyses of independent readers (blocks ${blocks}). Somebody who saw none of these will build
from your text alone, and somebody else will test against it. You only read; you change no file.

${SPEC_PARTS}

How to weigh what you were given:
- A confirmed answer beats any inference of an analyst or of yours.
- What a user would notice beats internal behaviour.
- Where you stay unsure, take the stricter reading and mark the passage as unconfirmed.
- An entry of the notes with "unconfirmed" true is a gap. Invent no answer for it. Mark every passage that rests on it
  with [unconfirmed q2], using the id of that question. The mark is written exactly like this in every language. Every
  unconfirmed id appears at least once.
- Every finding that can matter to a builder or a user becomes a scope entry, an edge case, a criterion or a risk, or is
  excluded on purpose in out_of_scope. Merge what several analysts say; do not list the same point twice.
- The block "analysts" says how each analysis came about. A text that was not in the agreed form is still worth reading;
  a missing one is a reason for caution, not for invention.

When this is a revision:
- The block "draft" holds the specification a critic has read, the block "findings" what the critic found, each with an id.
  Both are empty in a first synthesis. Start from the draft and keep what nobody objected to.
- Resolve every Critical and Major finding. Where one is resolved, cite its id in brackets, for example [M1], at the end
  of that passage; several ids are several brackets. Minor findings may be taken up and cited; they need not be.
- Cite an id only where the text really answers the finding. If you decide against a finding, say so as a decision with
  its reason in background_decisions and cite it there.
- The block "missing" lists ids your last version cited nowhere, or is empty. Deal with exactly those and leave the rest.

The block "requests" holds changes the person asked for after reading earlier drafts, oldest first, or nothing. The block
"revision_request" holds what the person asked for at the critic's gate, or nothing; it is the newest. Work all of them
in; where two disagree, the later one holds, and where one disagrees with a finding, the person's word holds.

How it reads:
- Requirements only: what and why, never how. No code, no fenced blocks, no file listings.
- Plain sentences that stand on their own. No reference to "the notes", "the analyses" or "the critic"; ids only in marks.
- Short is better than complete-sounding: leave out what nobody would miss, but no case somebody would stumble over.

The block "lang" holds a language code: write all text in that language. Keys, criterion ids, likelihood values and marks
stay as given here.
`;
}
