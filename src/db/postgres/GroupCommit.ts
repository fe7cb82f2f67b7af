import { toDatabaseError, type DatabaseError } from "./Database.ts"
import * as Effect from "effect/Effect"
import { withAnswerTimeout } from "./postgres.ts"
import { takeFairly } from "./takeFairly.ts"

export interface GroupCommitOptions<A, B> {
  /** Maximum number of rows in one batch. */
  readonly maxBatch: number
  /**
   * Maximum number of batches in flight. Further items gather into the next one in the meantime. Apps that have nothing
   * in flight do not wait for batches of others: one more batch may be in flight for them.
   */
  readonly inFlight: number
  /**
   * How long the first item of a batch waits for others, if the previous batch had several items. A few large batches
   * are less work than many small ones, but a lone item need not wait. Default: no wait.
   */
  readonly gatherMs?: number
  /**
   * After this time, a batch that has not returned no longer counts as in flight, so that a locked row or a silent
   * connection blocks nobody else. Default: never.
   */
  readonly overtakenAfterMs?: number
  /** The app of an item. If more items wait than fit into a batch, apps take turns. Default: order of arrival. */
  readonly appOf?: (item: A) => string
  /** Items with the same key that wait at the same time are run once, and share the result. Default: none. */
  readonly keyOf?: (item: A) => string
  /** Runs one batch in one transaction. Results are in the order of the batch. */
  readonly run: (batch: ReadonlyArray<A>) => Promise<ReadonlyArray<B>>
  /**
   * Runs one item alone after its batch failed, so that one row's failure does not affect the others. Default: a batch
   * of one.
   */
  readonly runAlone?: (item: A) => Promise<B>
}

interface Waiting<A, B> {
  readonly item: A
  /** Those that share its result. */
  readonly others: Array<Waiting<A, B>>
  readonly resolve: (value: B) => void
  readonly reject: (cause: unknown) => void
}

/** Maximum number of overtaken batches. If more are slow, the database itself is slow. */
const MAX_OVERTAKEN = 3

/**
 * Callers resume at once when they get their result, and many of them have work to do. The next batch is sent before
 * that. Each round of the event loop then does only this much of the work, so that requests do not wait for a whole
 * batch.
 */
const ROUND_MS = 10
const nextRound = () => new Promise((resume) => setImmediate(resume))
/**
 * Runs after the microtasks in which the next batch is written, but still in this round: a lane should send soon after
 * it was granted its slot.
 */
const nextBatchSent = () => new Promise<void>((resume) => process.nextTick(resume))

/**
 * Coalesces concurrent calls into batches: at once when idle, or else as soon as a batch in flight returns, or
 * `gatherMs` later. If the database cannot be reached, all waiting calls fail together, instead of each after its own
 * timeout. If a single connection is silent, only the calls on it fail.
 */
export const groupCommit = <A, B>(
  options: GroupCommitOptions<A, B>
): ((item: A) => Effect.Effect<B, DatabaseError>) => {
  const queue: Array<Waiting<A, B>> = []
  const appOf = ({ item }: Waiting<A, B>) => options.appOf?.(item) ?? ""
  /** The items of the queue that others may share. */
  const shared = new Map<string, Waiting<A, B>>()
  const close = ({ item }: Waiting<A, B>) => options.keyOf !== undefined && shared.delete(options.keyOf(item))
  let running = 0
  let overtaken = 0
  let landed = 0
  let inCompany = false

  const alone =
    options.runAlone ??
    (async (item: A) => {
      const [answer] = await options.run([item])
      return answer as B
    })
  const rejectAll = (batch: ReadonlyArray<Waiting<A, B>>, cause: unknown, behind = queue.splice(0)) => {
    for (const waiting of [...batch, ...behind]) {
      close(waiting)
      for (const each of [waiting, ...waiting.others]) each.reject(cause)
    }
  }
  const handOut = async (batch: ReadonlyArray<Waiting<A, B>>, answers: ReadonlyArray<B>) => {
    await nextBatchSent()
    let begunAt = performance.now()
    for (const [index, waiting] of batch.entries()) {
      for (const each of [waiting, ...waiting.others]) {
        if (performance.now() - begunAt > ROUND_MS) {
          await nextRound()
          begunAt = performance.now()
        }
        each.resolve(answers[index] as B)
      }
    }
  }
  const oneByOne = async (batch: ReadonlyArray<Waiting<A, B>>, isOver: () => boolean) => {
    for (const waiting of batch) {
      if (isOver()) return
      try {
        const answer = await alone(waiting.item)
        for (const each of [waiting, ...waiting.others]) each.resolve(answer)
      } catch (cause) {
        if (toDatabaseError(cause).reason === "unreachable") return rejectAll(batch, cause)
        for (const each of [waiting, ...waiting.others]) each.reject(cause)
      }
    }
  }
  const settle = async (batch: ReadonlyArray<Waiting<A, B>>, isOver: () => boolean) => {
    let answers: ReadonlyArray<B>
    try {
      answers = await options.run(batch.map((waiting) => waiting.item))
    } catch {
      return oneByOne(batch, isOver)
    }
    landed++
    void handOut(batch, answers)
  }
  // An answer that arrives later is ignored.
  const settleInTime = (batch: ReadonlyArray<Waiting<A, B>>) => {
    let over = false
    const landedBefore = landed
    return withAnswerTimeout(
      settle(batch, () => over),
      () => {
        over = true
      }
    ).catch((cause: unknown) => (landed === landedBefore ? rejectAll(batch, cause) : rejectAll(batch, cause, [])))
  }
  /** Returns what to do when the batch returns. */
  const countIn = () => {
    running++
    let isOvertaken = false
    const overtake = () => {
      if (overtaken >= MAX_OVERTAKEN) return
      isOvertaken = true
      overtaken++
      running--
      flush()
    }
    const timer = options.overtakenAfterMs === undefined ? undefined : setTimeout(overtake, options.overtakenAfterMs)
    return () => {
      clearTimeout(timer)
      if (isOvertaken) overtaken--
      else running--
    }
  }
  const flush = () => {
    while (running < options.inFlight && queue.length > 0) {
      const countOut = countIn()
      const batch = takeFairly(queue, options.maxBatch, appOf)
      inCompany = batch.length > 1
      send(batch, countOut)
    }
    if (queue.length > 0 && !isExtraInFlight) sendExtra()
  }
  const send = (batch: ReadonlyArray<Waiting<A, B>>, countOut: () => void) => {
    for (const waiting of batch) close(waiting)
    countApps(batch, 1)
    void settleInTime(batch).finally(() => {
      countApps(batch, -1)
      countOut()
      if (!isGathering() || queue.length >= options.maxBatch) flush()
      else schedule()
    })
  }
  /** The number of items of each app in flight. */
  const inFlightOf = new Map<string, number>()
  const countApps = (batch: ReadonlyArray<Waiting<A, B>>, by: 1 | -1) => {
    for (const app of batch.map(appOf)) {
      const count = (inFlightOf.get(app) ?? 0) + by
      if (count === 0) inFlightOf.delete(app)
      else inFlightOf.set(app, count)
    }
  }
  /** One more batch than the maximum is in flight for apps that have nothing in the others. */
  let isExtraInFlight = false
  const sendExtra = () => {
    const others = queue.filter((waiting) => !inFlightOf.has(appOf(waiting)))
    if (others.length === 0) return
    const batch = takeFairly(others, options.maxBatch, appOf)
    const taken = new Set(batch)
    queue.splice(0, queue.length, ...queue.filter((waiting) => !taken.has(waiting)))
    isExtraInFlight = true
    send(batch, () => {
      isExtraInFlight = false
    })
  }
  const isGathering = () => options.gatherMs !== undefined && inCompany
  // The flush waits at least for the end of this tick, so that simultaneous calls share a batch.
  let scheduled = false
  const schedule = () => {
    if (scheduled || queue.length === 0) return
    scheduled = true
    const go = () => {
      scheduled = false
      flush()
    }
    if (!isGathering()) setImmediate(go)
    else setTimeout(go, options.gatherMs)
  }
  const submit = (waiting: Waiting<A, B>) => {
    const key = options.keyOf?.(waiting.item)
    const first = key === undefined ? undefined : shared.get(key)
    if (first !== undefined) return void first.others.push(waiting)
    if (key !== undefined) shared.set(key, waiting)
    queue.push(waiting)
    schedule()
  }
  // Uses a callback instead of a promise, so that each caller has resumed before the next one.
  return (item) =>
    Effect.callback((resume) =>
      submit({
        item,
        others: [],
        resolve: (value) => resume(Effect.succeed(value)),
        reject: (cause) => resume(Effect.fail(toDatabaseError(cause)))
      })
    )
}
