/** The seven parts as every author of a specification is told them (SP-31). */
export const SPEC_PARTS = `The specification has seven parts, and none may be empty:
- goal: one paragraph. Who gets what, and why it is worth having.
- background_decisions: what is given, and each decision an answer made, one per entry, with its reason where known.
- scope: what will exist when it is done, one observable thing per entry.
- out_of_scope: what a reader might expect and will not get.
- edge_cases: unusual input, limits, failures, repetition, several at once; each entry says what must happen.
- acceptance_criteria: each has an id (AC-1, AC-2, ...), a short name, given (the situation), when (one action) and
  outcome (what can then be observed or measured). Together they cover scope and edge cases. A criterion nobody could
  test is not one: replace "fast", "easy" or "secure" by something that can be seen or counted.
- risks: what may go wrong, likelihood low, med or high, and what reduces it.`;
