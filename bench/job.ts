/** The one job every engine does: seven steps, a gate after the second and the fifth, about 400 bytes a result. */
export const NODES = ['s1', 's2', 'g1', 's3', 's4', 's5', 'g2', 's6', 's7'] as const;
export const PAYLOAD = 'x'.repeat(380);
/** Create, seven steps settled (two of them open a gate in the same commit), two answers. */
export const TRANSITIONS = 10;

/** An engine at work: does the whole job once, under the given id. */
export interface Contender {
  one(id: string): Promise<void>;
  close(): Promise<void>;
}
