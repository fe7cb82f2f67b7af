import * as Effect from "effect/Effect"

/**
 * An app may hold this many times as many places as are free. So one app alone gets four fifths of them, and however
 * many apps are busy, some places stay free for an app that comes next: it never waits for the slow work of the others.
 */
const TIMES_THE_FREE = 4

/** Places of which one app alone may use this many. */
export const placesFor = (oneApp: number): number => Math.ceil((oneApp * (TIMES_THE_FREE + 1)) / TIMES_THE_FREE)

/**
 * A limited number of places for the work of many apps. A place that comes free goes to the waiting app that holds
 * fewest.
 */
export interface Places {
  /**
   * Does the work in a place of this app, as soon as there is one. Works of one app begin in the order in which they
   * came.
   */
  readonly use: <A, E, R>(appId: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Takes a place that is known to be there. Gives it back once the effect that it returns is run. */
  readonly enter: (appId: string) => Effect.Effect<void>
  /** How many places are free. */
  readonly free: () => number
  /** Whether the app would have to wait for a place. */
  readonly isFull: (appId: string) => boolean
  /** Apps that would have to wait for a place, of those that hold one. */
  readonly full: () => ReadonlyArray<string>
  /** Apps that have work waiting for a place. */
  readonly crowded: () => ReadonlyArray<string>
  /** How much work of the app waits for a place. */
  readonly waiting: (appId: string) => number
}

export const makePlaces = (count: number): Places => {
  let free = count
  const held = new Map<string, number>()
  // A served app goes to the end, so that apps which hold the same number take turns.
  const waiting = new Map<string, Set<() => void>>()

  const heldBy = (appId: string) => held.get(appId) ?? 0
  const mayEnter = (appId: string) => heldBy(appId) < TIMES_THE_FREE * free
  const enter = (appId: string) => {
    free--
    held.set(appId, heldBy(appId) + 1)
  }

  /** The waiting app that holds fewest, unless there is no place for it: then there is none for any other. */
  const nextApp = () => {
    let next: string | undefined
    for (const appId of waiting.keys()) if (next === undefined || heldBy(appId) < heldBy(next)) next = appId
    return next !== undefined && mayEnter(next) ? next : undefined
  }
  const serve = () => {
    for (let appId = nextApp(); appId !== undefined; appId = nextApp()) {
      const line = waiting.get(appId) ?? new Set()
      const [first] = line
      waiting.delete(appId)
      if (first === undefined) continue
      line.delete(first)
      if (line.size > 0) waiting.set(appId, line)
      enter(appId)
      first()
    }
  }
  const leave = (appId: string) => {
    free++
    const left = heldBy(appId) - 1
    if (left === 0) held.delete(appId)
    else held.set(appId, left)
    serve()
  }
  const isFull = (appId: string) => waiting.has(appId) || !mayEnter(appId)
  const take = (appId: string) =>
    Effect.callback<void>((resume) => {
      if (!isFull(appId)) {
        enter(appId)
        resume(Effect.void)
        return
      }
      const line = waiting.get(appId) ?? new Set()
      // The next begins in a task of its own: a long line of works that end at once would grow the stack.
      waiting.set(
        appId,
        line.add(() => resume(Effect.yieldNow))
      )
    })

  return {
    // Who waits is not interrupted: a place that was given in the same moment would be lost.
    use: (appId, work) =>
      Effect.acquireUseRelease(
        take(appId),
        () => work,
        () => Effect.sync(() => leave(appId))
      ),
    enter: (appId) => {
      enter(appId)
      return Effect.sync(() => leave(appId))
    },
    free: () => free,
    isFull,
    full: () => [...held.keys()].filter(isFull),
    crowded: () => [...waiting.keys()],
    waiting: (appId) => waiting.get(appId)?.size ?? 0
  }
}
