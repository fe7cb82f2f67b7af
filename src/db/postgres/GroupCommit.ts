import { toDatabaseError, type DatabaseError } from "./Database.ts"
import * as Effect from "effect/Effect"
import { answered } from "./postgres.ts"
import { takeFairly } from "./takeFairly.ts"

export interface GroupCommitOptions<A, B> {
  /** Rows of one batch at most. */
  readonly maxBatch: number
  /** Batches under way at once. While they are, further items gather into the next one. */
  readonly inFlight: number
  /**
   * How long the first of a batch waits for others, where the batch before was of several: few large batches are less
   * work than many small ones, and where all come alone none need wait. Not at all when not given.
   */
  readonly gatherMs?: number
  /**
   * After how long a batch that has not returned is overtaken: it counts as under way no longer, so that one held row
   * or one silent connection holds up nobody else. Never when not given.
   */
  readonly overtakenAfterMs?: number
  /**
   * Whose an item is. Where more wait than one batch takes, apps take turns. In the order of arrival when not given.
   */
  readonly appOf?: (item: A) => string
  /** Runs one batch in one transaction; answers in the order of the batch. */
  readonly run: (batch: ReadonlyArray<A>) => Promise<ReadonlyArray<B>>
  /**
   * Runs one item alone, when its batch failed: one row's trouble must not be its siblings'. Defaults to a batch of
   * one.
   */
  readonly runAlone?: (item: A) => Promise<B>
}

interface Waiting<A, B> {
  readonly item: A
  readonly resolve: (value: B) => void
  readonly reject: (cause: unknown) => void
}

/** So many at most are overtaken at once: when no more than these are out, it is the database that is slow. */
const MOST_OVERTAKEN = 3

/**
 * Who is answered goes on at once, many of them with work to do. The next batch leaves before that, and no more of it
 * is done in one round of the event loop, so that requests need not wait for a whole batch.
 */
const ROUND_MS = 10
const nextRound = () => new Promise((resume) => setImmediate(resume))
/**
 * After the microtasks in which the next batch is written, and still in this round: what a lane sends should follow
 * soon on the place that it took for it.
 */
const nextBatchSent = () => new Promise<void>((resume) => process.nextTick(resume))

/**
 * Coalesces concurrent calls into batches: at once when idle, otherwise as soon as a batch in flight returns, or
 * `gatherMs` later. When the database cannot be reached, all who wait hear of it together, and not each after a wait of
 * its own; of a single connection that is silent, those alone who were on it.
 */
export const groupCommit = <A, B>(
  options: GroupCommitOptions<A, B>
): ((item: A) => Effect.Effect<B, DatabaseError>) => {
  const queue: Array<Waiting<A, B>> = []
  const appOf = ({ item }: Waiting<A, B>) => options.appOf?.(item) ?? ""
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
    for (const waiting of [...batch, ...behind]) waiting.reject(cause)
  }
  const handOut = async (batch: ReadonlyArray<Waiting<A, B>>, answers: ReadonlyArray<B>) => {
    await nextBatchSent()
    let begunAt = performance.now()
    for (const [index, waiting] of batch.entries()) {
      if (performance.now() - begunAt > ROUND_MS) {
        await nextRound()
        begunAt = performance.now()
      }
      waiting.resolve(answers[index] as B)
    }
  }
  const oneByOne = async (batch: ReadonlyArray<Waiting<A, B>>, isOver: () => boolean) => {
    for (const waiting of batch) {
      if (isOver()) return
      try {
        waiting.resolve(await alone(waiting.item))
      } catch (cause) {
        if (toDatabaseError(cause).reason === "unreachable") return rejectAll(batch, cause)
        waiting.reject(cause)
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
  // An answer that comes later is nobody's any more.
  const settleInTime = (batch: ReadonlyArray<Waiting<A, B>>) => {
    let over = false
    const landedBefore = landed
    return answered(
      settle(batch, () => over),
      () => {
        over = true
      }
    ).catch((cause: unknown) => (landed === landedBefore ? rejectAll(batch, cause) : rejectAll(batch, cause, [])))
  }
  /** Gives back what is to be done when the batch returns. */
  const countIn = () => {
    running++
    let isOvertaken = false
    const overtake = () => {
      if (overtaken >= MOST_OVERTAKEN) return
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
      void settleInTime(batch).finally(() => {
        countOut()
        if (!isGathering() || queue.length >= options.maxBatch) flush()
        else schedule()
      })
    }
  }
  const isGathering = () => options.gatherMs !== undefined && inCompany
  // The flush waits for the end of this tick at least, so that calls made together travel together.
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
    queue.push(waiting)
    schedule()
  }
  // By a callback and not a promise: who is answered has gone on when the next one is.
  return (item) =>
    Effect.callback((resume) =>
      submit({
        item,
        resolve: (value) => resume(Effect.succeed(value)),
        reject: (cause) => resume(Effect.fail(toDatabaseError(cause)))
      })
    )
}
