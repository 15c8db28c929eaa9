/** How every planner is told what its blocks hold. */
export const PLANNING_BLOCKS = `The block "task" holds what is wanted. You stand in the project ("repo_path"); "lang" is its main language of code, or
"unknown". The block "scope" lists the paths a change may touch, or says that there is no limit. The block
"qa_discovery_notes" holds questions and answers of an earlier conversation, "critic_findings" what a critic said about an
earlier specification, "conventions" rules of the project; each may be empty, and then nothing is known there. The block
"approved_spec" may hold a specification a person has approved: it is settled, and you plan how to meet it. The block
"user_lang" holds a language code: write all prose in that language; keys, ids and enum values stay as given here.`;

/** The parts of a specification as both authors are told them (WF-41). */
export const SPEC_PARTS = `The specification has eight parts, and none may be empty:
- goal: one paragraph. What will be different, for whom, and why it is worth it.
- background: what is given: how the project does it now, which decisions stand, one per entry.
- scope: "in" lists what will exist or change, one observable thing per entry; "out" what a reader might expect and
  will not get.
- approach: the way to get there in a few steps: which parts of the project change and how they fit together.
- completion_criteria: each has an id (AC-1, AC-2, ...), a short name, given (the situation), when (one action) and outcome
  (what can then be observed or measured). Somebody will check each one against the finished change with file and line, so
  a criterion nobody could check is not one. Together they cover what is in scope and the edge cases.
- edge_cases: unusual input, limits, failures, repetition, several at once; each entry says what must happen.
- testing_strategy: which tests show which criteria, and what cannot be tested automatically.
- risks: each with text, source (where the concern comes from), likelihood and impact (low, med, high), and mitigation.

If the block "approved_spec" is not empty, every criterion id in it appears among your completion_criteria with the same
meaning. You may add criteria; you drop and rename none.

State what and why. No function signatures, no SQL, no code, no fenced blocks: whoever builds it chooses those.`;
