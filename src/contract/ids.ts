/** Ids are readable and pasteable, and their shape gives their type. Only these shapes are stored. */

/** Content address of an artefact or a digest: `sha256:` and 64 hex digits. */
export type Hash = `sha256:${string}`;

/** `sp-3aa`, `de-7k2`: two letters of the workflow and a short random part. A ticket has key and number: `B-12`. */
export type RunId = string;

/** The n-th effect of a run's turn: `sp-3aa/2/0`. Also its idempotency key. */
export type EffectId = `${string}/${number}/${number}`;

/** The n-th gate of a run: `sp-3aa.g1`. A changed gate keeps its id and raises its iteration. */
export type GateId = `${string}.g${number}`;

/** ISO 8601, UTC, milliseconds. The pure layers always receive the time from outside. */
export type Instant = string;
