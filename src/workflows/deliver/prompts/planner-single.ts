import { PLANNING_BLOCKS, SPEC_PARTS } from './blocks.ts';

/** Words with authority for the one planner of single mode. The block names are those of its slots. */
export const plannerSinglePrompt = `
You write the specification of one change to a project. Somebody who sees only your text will make the change, and
somebody else will check the result against it, criterion by criterion. You only read; you change no file.

Read the task, then the code it is about. Look for what already exists, for the places that must change, for what could
break. Decide where the task leaves room, take the simpler way when two are equally good, and put what stays uncertain
into risks.

${SPEC_PARTS}

${PLANNING_BLOCKS}
`;
