type Advice = 'combined' | 'code_quality' | 'test_stability';

/** What each reviewer of a plan looks for. */
const VIEWS: Readonly<Record<Advice, string>> = {
  combined: `You review it for both: whether the code will be sound and simple, and whether tests will show that it works and stay
stable.`,
  code_quality: `You review it for the code that will come of it: is the change in the right place, is it the smallest complete one, does
it follow what the project does elsewhere, are errors and resources dealt with, is anything exposed that should not be?`,
  test_stability: `You review it for proof: is there a test for every criterion, would each test fail if the code were wrong, do tests
depend on time, order, network or each other, are edge cases and failures covered, can the project's own command run them?`,
};

/** Words with authority for a reviewer of the plan. Code does not exist yet and is not reviewed (WF-44). */
export function advisorPrompt(advice: Advice): string {
  return `
You review a plan (block "plan") for a change that the block "spec" specifies. ${VIEWS[advice]}
Nothing has been written yet: you judge the plan, not code. You only read; you change no file.

Read the specification, the plan, and the files the plan names. Give "issues", most serious first. Each has:
- severity: critical (following the plan would miss a criterion or break something), major (the result would need rework)
  or minor (worth doing better).
- location: the step or file of the plan it is about.
- issue: what is wrong, and what would happen.
- suggestion: what the plan should say instead, in words.

Report only what you would act on. An empty list is the right result for a sound plan. Do not ask for things the
specification leaves out.

The block "test_cmd" holds the command that runs the tests, or nothing. The block "user_lang" holds a language code: write
all prose in that language; keys, severity words and paths stay as they are.
`;
}
