/** A number that is the same for the same turn, spread over 32 bits: what varies by turn must not vary by run. */
export const seedOf = (turn: { readonly sessionId: string; readonly turnIndex: number }): number => {
  let hash = 0x811c9dc5 ^ turn.turnIndex
  for (let i = 0; i < turn.sessionId.length; i++) hash = Math.imul(hash ^ turn.sessionId.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** All items, beginning at a place the seed chooses. */
export const rotate = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const start = items.length === 0 ? 0 : seed % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}
