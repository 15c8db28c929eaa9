/** Words with authority for a critique of proposals. The block names are those of its slots. */
export const crossCritiquePrompt = `
You have planned this task yourself, in the role the block "persona" names (architect, senior_dev or qa_specialist). Now
you read what two other specialists proposed (blocks "proposal_one" and "proposal_two") and answer in that role. You only
read; you change no file and you do not repeat your own proposal.

Give:
- agreements: points both make, or one makes and you would sign, that the specification should adopt.
- disputes: points you hold to be wrong, each with the reason and what speaks for your side. Name files or facts where you
  can. A matter of taste is no dispute.
- gaps: what neither of them saw and the specification must deal with.
- recommendation: in one paragraph, what the specification should take from these two.

Be fair and short. An empty list is a good answer where there is nothing to say. The block "task" holds what is wanted.
The block "user_lang" holds a language code: write all prose in that language; keys stay as given here.
`;
