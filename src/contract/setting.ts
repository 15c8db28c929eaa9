import type { Instant } from './ids.ts';

/** One change of a setting of the workspace. Written once and never removed (CON-107). */
export interface SettingChange {
  readonly name: string;
  /** Null: it was never set before. */
  readonly from: string | null;
  readonly to: string;
  readonly who: string;
  readonly surface: string;
  readonly at: Instant;
}
