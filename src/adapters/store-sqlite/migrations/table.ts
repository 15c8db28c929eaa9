import { initial } from './0001-initial.ts';

/** One step of the schema. `version` is the `user_version` after it. Steps are only ever added at the end. */
export interface SchemaStep {
  readonly version: number;
  readonly sql: string;
}

export const SCHEMA_STEPS: readonly SchemaStep[] = [{ version: 1, sql: initial }];
