import { initial } from './0001-initial.ts';
import { fewerPages } from './0002-fewer-pages.ts';
import { decisions } from './0003-decisions.ts';
import { drives } from './0004-drives.ts';
import { eventsOfACommit } from './0005-events-of-a-commit.ts';

/** One step of the schema. `version` is what `user_version` says after it; steps are only ever added at the end. */
export interface SchemaStep {
  readonly version: number;
  readonly sql: string;
}

export const SCHEMA_STEPS: readonly SchemaStep[] = [
  { version: 1, sql: initial },
  { version: 2, sql: fewerPages },
  { version: 3, sql: decisions },
  { version: 4, sql: drives },
  { version: 5, sql: eventsOfACommit },
];
