import * as Effect from "effect/Effect"

/**
 * An app may hold this many times as many slots as are free. So a single app gets four fifths of them. However many
 * apps are busy, some slots stay free for the next app, which never waits for slow work of the others.
 */
const PER_FREE_SLOT = 4

/** The number of slots of which a single app can use `oneApp`. */
export const slotsFor = (oneApp: number): number => Math.ceil((oneApp * (PER_FREE_SLOT + 1)) / PER_FREE_SLOT)

/** A limited number of slots for the work of many apps. A free slot goes to the waiting app that holds the fewest. */
export interface Slots {
  /** Does the work in a slot of this app as soon as there is one. Work of one app starts in the order of arrival. */
  readonly withSlot: <A, E, R>(appId: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Takes a slot that is known to be free. The returned effect releases it. */
  readonly enter: (appId: string) => Effect.Effect<void>
  /** The number of free slots. */
  readonly free: () => number
  /** Whether the app would have to wait for a slot. */
  readonly isFull: (appId: string) => boolean
  /** Of the apps that hold slots, those that would have to wait for another. */
  readonly fullApps: () => ReadonlyArray<string>
  /** Apps with work that waits for a slot. */
  readonly waitingApps: () => ReadonlyArray<string>
  /** How much work of the app waits for a slot. */
  readonly waiting: (appId: string) => number
}

export const makeSlots = (count: number): Slots => {
  let free = count
  const held = new Map<string, number>()
  // A served app goes to the end, so that apps with the same number of slots take turns.
  const waiting = new Map<string, Set<() => void>>()

  const heldBy = (appId: string) => held.get(appId) ?? 0
  const mayEnter = (appId: string) => heldBy(appId) < PER_FREE_SLOT * free
  const enter = (appId: string) => {
    free--
    held.set(appId, heldBy(appId) + 1)
  }

  /** The waiting app that holds the fewest slots. If there is no slot for it, there is none for any other. */
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
      // The next one starts in its own task. A long queue of work that ends at once would otherwise grow the stack.
      waiting.set(
        appId,
        line.add(() => resume(Effect.yieldNow))
      )
    })

  return {
    // A waiter is not interruptible: a slot that is handed over at that moment would be lost.
    withSlot: (appId, work) =>
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
    fullApps: () => [...held.keys()].filter(isFull),
    waitingApps: () => [...waiting.keys()],
    waiting: (appId) => waiting.get(appId)?.size ?? 0
  }
}
