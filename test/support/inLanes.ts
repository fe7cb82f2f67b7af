/** Works on all items, so many at a time: each lane takes the next one as soon as it is done with its last. */
export const inLanes = async <A>(
  lanes: number,
  items: Iterable<A>,
  work: (item: A, lane: number) => Promise<unknown>
): Promise<void> => {
  const queue = Array.from(items).values()
  const lane = async (_: unknown, place: number): Promise<void> => {
    for (const item of queue) await work(item, place)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
