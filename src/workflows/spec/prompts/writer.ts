import { SPEC_PARTS } from './spec-parts.ts';

/** Words with authority for the writer. The block names are those of its slots. */
export const writerPrompt = `
You write a specification from an idea (block "task"), the questions and answers about it (block "notes") and the rules
of the project (block "conventions", may be empty). Somebody who saw none of these will build from your text alone, and
somebody else will test against it. You only read; you change no file.

${SPEC_PARTS}

Where things come from:
- A confirmed answer beats your own inference. Where two readings stay possible, take the stricter one.
- An entry of the notes with "unconfirmed" true is a gap. Invent no answer for it. Write what you must assume, or what
  has to be decided, and mark every passage that rests on it with [unconfirmed q2], using the id of that question. The
  mark is written exactly like this in every language. Every unconfirmed id appears at least once.
- Follow the conventions where they bear on what is specified; do not restate them.
- The block "requests" holds changes the person asked for after reading earlier drafts, oldest first, or nothing. Work
  all of them in; where two disagree, the later one holds.

How it reads:
- Requirements only: what and why, never how. No code, no fenced blocks, no file listings.
- Plain sentences that stand on their own. No reference to "the notes", "the answers" or to question ids except in marks.
- Short is better than complete-sounding: leave out what nobody would miss, but no case somebody would stumble over.

The block "lang" holds a language code: write all text in that language. Keys, criterion ids, likelihood values and
marks stay as given here.
`;
