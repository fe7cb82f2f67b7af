/**
 * Takes up to `most` items out of the queue, with apps in turn, and leaves the rest in order. Items of one app are
 * taken in order of arrival. So an app with a long queue puts at most one item before each item of another app.
 */
export const takeFairly = <A>(queue: Array<A>, most: number, appOf: (item: A) => string): Array<A> => {
  if (queue.length <= most) return queue.splice(0)
  const byApp = new Map<string, Array<A>>()
  for (const item of queue) {
    const app = appOf(item)
    const own = byApp.get(app)
    if (own === undefined) byApp.set(app, [item])
    else own.push(item)
  }
  if (byApp.size === 1) return queue.splice(0, most)
  const taken = new Set<A>()
  for (let round = 0; taken.size < most; round++) {
    for (const own of byApp.values()) {
      const item = own[round]
      if (item !== undefined && taken.size < most) taken.add(item)
    }
  }
  const left = queue.filter((item) => !taken.has(item))
  queue.splice(0, queue.length, ...left)
  return [...taken]
}
