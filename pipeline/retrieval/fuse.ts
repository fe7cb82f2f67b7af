/** The usual constant of reciprocal rank fusion. */
const K = 60

/** One ranking, best first, and how much it counts. */
export interface Ranking<A> {
  readonly items: ReadonlyArray<A>
  readonly weight: number
}

/** A fused item. `score`: 0 to 1, 1 for an item that all rankings have first. */
export interface Fused<A> {
  readonly item: A
  readonly score: number
}

/**
 * Several rankings of the same kind of things as one, by reciprocal rank fusion: the scores of different searches
 * cannot be compared, but their ranks can. Of items with the same key, the one of the first ranking stays.
 */
export const fuse = <A>(
  rankings: ReadonlyArray<Ranking<A>>,
  keyOf: (item: A) => string | number
): ReadonlyArray<Fused<A>> => {
  const fused = new Map<string | number, { readonly item: A; score: number }>()
  for (const { items, weight } of rankings)
    for (const [place, item] of items.entries()) {
      const known = fused.get(keyOf(item)) ?? { item, score: 0 }
      known.score += weight / (K + place + 1)
      fused.set(keyOf(item), known)
    }
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0) / (K + 1)
  return [...fused.values()]
    .sort((a, b) => b.score - a.score)
    .map(({ item, score }) => ({ item, score: most === 0 ? 0 : score / most }))
}
