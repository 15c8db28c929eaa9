/** Result of a repair of the store. */
export interface Repaired {
  /** `sound`: no repair was needed. `empty`: nothing was readable, and a new store was created. */
  readonly kind: 'sound' | 'repaired' | 'empty';
  /** Where the damaged file is now. Null if it was missing. */
  readonly aside: string | null;
  /** Time of the restored backup. Null if the damaged file itself was readable. */
  readonly as_of: string | null;
  readonly runs: readonly string[];
  /** Runs whose row was rebuilt from their log. */
  readonly rebuilt: readonly string[];
  /** Runs that are known to have existed and are missing. */
  readonly lost: readonly string[];
}

/** Files, refs and branches that Baton left for one repository. */
export interface Traces {
  /** Name of the repository's folder. */
  readonly name: string;
  readonly state: string;
  readonly files: readonly string[];
  readonly refs: readonly string[];
  /** Branches of Baton's namespace, which contain results. */
  readonly branches: readonly string[];
}
