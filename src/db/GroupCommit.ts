import { toDatabaseError, type DatabaseError } from "./Database.ts"
import * as Effect from "effect/Effect"
import { answered } from "./postgres.ts"

export interface GroupCommitOptions<A, B> {
  /** Rows of one batch at most. */
  readonly maxBatch: number
  /** Batches under way at once. While they are, further items gather into the next one. */
  readonly inFlight: number
  /** Runs one batch in one transaction; answers in the order of the batch. */
  readonly run: (batch: ReadonlyArray<A>) => Promise<ReadonlyArray<B>>
  /** Runs one item alone, when its batch failed: one row's trouble must not be its siblings'. Defaults to a batch of one. */
  readonly runAlone?: (item: A) => Promise<B>
}

interface Waiting<A, B> {
  readonly item: A
  readonly resolve: (value: B) => void
  readonly reject: (cause: unknown) => void
}

/**
 * Coalesces concurrent calls into batches: at once when idle, otherwise as soon as a batch in flight returns.
 * When the database cannot be reached, all who wait hear of it together, and not each after a wait of its own.
 */
export const groupCommit = <A, B>(options: GroupCommitOptions<A, B>): ((item: A) => Effect.Effect<B, DatabaseError>) => {
  const queue: Array<Waiting<A, B>> = []
  let running = 0

  const alone = options.runAlone ?? (async (item: A) => {
    const [answer] = await options.run([item])
    return answer as B
  })
  const rejectAll = (batch: ReadonlyArray<Waiting<A, B>>, cause: unknown) => {
    for (const waiting of [...batch, ...queue.splice(0)]) waiting.reject(cause)
  }
  const settle = async (batch: ReadonlyArray<Waiting<A, B>>, isOver: () => boolean) => {
    try {
      const answers = await options.run(batch.map((waiting) => waiting.item))
      batch.forEach((waiting, index) => waiting.resolve(answers[index] as B))
    } catch {
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
  }
  // An answer that comes later is nobody's any more.
  const settleInTime = (batch: ReadonlyArray<Waiting<A, B>>) => {
    let over = false
    return answered(settle(batch, () => over), () => { over = true }).catch((cause: unknown) => rejectAll(batch, cause))
  }
  const flush = () => {
    while (running < options.inFlight && queue.length > 0) {
      running++
      void settleInTime(queue.splice(0, options.maxBatch)).finally(() => {
        running--
        flush()
      })
    }
  }
  // The flush waits for the end of this tick, so that calls made together travel together.
  let scheduled = false
  const submit = (item: A) => new Promise<B>((resolve, reject) => {
    queue.push({ item, resolve, reject })
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      flush()
    })
  })
  return (item) => Effect.tryPromise({ try: () => submit(item), catch: toDatabaseError })
}
