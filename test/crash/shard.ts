/** Part `i` of `n`, counted from 1. */
export interface Shard {
  readonly i: number;
  readonly n: number;
}

/** `2/3`; undefined: not a shard. */
export function parseShard(text: string): Shard | undefined {
  const [, first, second] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { i: Number(first), n: Number(second) };
  return shard.i >= 1 && shard.i <= shard.n ? shard : undefined;
}

/** Every n-th, so that each shard gets long and short scenarios of every workflow. */
export function inShard<Item>(items: readonly Item[], { i, n }: Shard): Item[] {
  return items.filter((_, at) => at % n === i - 1);
}
