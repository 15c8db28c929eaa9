/** Ids are readable, pasteable and typed by their shape; nothing but these shapes is stored. */

/** Content address of an artefact or a digest: `sha256:` and 64 hex digits. */
export type Hash = `sha256:${string}`;

/** `sp-3aa`, `de-7k2`: two letters of the workflow and a short random part; `B-12` for a ticket: key and number. */
export type RunId = string;

/** The n-th call or write of a run's turn: `sp-3aa/2/0`. Also its idempotency key. */
export type EffectId = `${string}/${number}/${number}`;

/** The n-th gate of a run: `sp-3aa.g1`. A changed gate keeps its id and raises its iteration. */
export type GateId = `${string}.g${number}`;

/** ISO 8601, UTC, milliseconds. Time always comes in from outside the pure layers. */
export type Instant = string;
