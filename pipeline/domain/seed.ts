/**
 * What random draws of a turn depend on: its session, or `seed` if sessions with different ids should take the same
 * course.
 */
export interface Seeded {
  readonly sessionId: string
  readonly turnIndex: number
  readonly seed?: string
}

/** A 32-bit number that is the same for the same turn and draw. Retries of a turn must not give different results. */
export const seedOf = ({ sessionId, turnIndex, seed = sessionId }: Seeded, draw = ""): number => {
  const name = `${seed}${draw}`
  let hash = 0x811c9dc5 ^ turnIndex
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** All items, starting at a position that the seed chooses. */
export const rotate = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const start = items.length === 0 ? 0 : seed % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}
