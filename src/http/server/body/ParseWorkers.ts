import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Piscina } from "piscina"
import { Crashes } from "#src/units/attempt.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { type ApiError, refusedElsewhere } from "#src/http/server/ApiError.ts"
import { rateLimited, validationError } from "#src/http/server/errors.ts"
import type { Outcome } from "./outcome.ts"
import type { json } from "./parseWorker.ts"

const THREADS = 2
/**
 * Of one thread's heap. What the largest file takes is well below; a thread that needs more ends, and its file is
 * refused.
 */
const MOST_HEAP_MB = 128
/** For one body. The thread is ended after that. */
const MOST_MS = 10_000
/** From this size on a thread ends with its body: one that waited for the next would keep up to 100 MB of garbage. */
const LARGE_BYTES = 1024 * 1024
/** For how long a thread that has read smaller ones waits for the next: to start one takes longer than to read them. */
const IDLE_MS = 1_000
/** Bodies of one app that wait at once, and bytes of all apps together. */
const MOST_WAITING = 32
const MOST_WAITING_BYTES = 96 * 1024 * 1024

/** What a thread is to do: a function of one argument that gives an Outcome, in a module that is loaded there. */
export interface ThreadWork {
  /** The URL of the module. */
  readonly module: string
  readonly name: string
  /** The answer where the thread has come to no end. */
  readonly refuse: (why: "too_long" | "too_much") => ApiError
}

const jsonWork: ThreadWork = {
  module: new URL("./parseWorker.ts", import.meta.url).href,
  name: "json" satisfies keyof { readonly json: typeof json },
  refuse: () => validationError("body: takes too much time or memory to read")
}

/** Why a thread has come to no end. */
const brokenOff = (thrown: unknown): "too_long" | "too_much" | null => {
  if (!(thrown instanceof Error)) return null
  if (thrown.name === "AbortError") return "too_long"
  return (thrown as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY" ? "too_much" : null
}

/**
 * A body whose thread had to be ended counts as one that stopped a process: after five the request is given up unread.
 */
const countBreak = Effect.gen(function* () {
  const unit = yield* CurrentUnit
  if (unit !== null) yield* (yield* Crashes).count(unit)
})

interface Line {
  readonly semaphore: Semaphore.Semaphore
  waiting: number
}

/**
 * Reads large bodies on threads of their own, so that none holds up the requests of others. Each app has one at a time;
 * apps take turns, since the threads take bodies in the order in which they come to the head of their app's line.
 */
export class ParseWorkers extends Context.Service<
  ParseWorkers,
  {
    /**
     * A body as JSON that can be stored. `subject` is the app, the account or the address that sends it. The bytes are
     * moved.
     */
    readonly json: (subject: string, bytes: Buffer) => Effect.Effect<unknown, ApiError>
    /** What a route makes of its body by itself. The bytes are moved. */
    readonly read: <A>(subject: string, work: ThreadWork, bytes: Buffer) => Effect.Effect<A, ApiError>
    /** What takes as long as reading a large body, and needs none. */
    readonly run: <A>(subject: string, work: ThreadWork, task: unknown) => Effect.Effect<A, ApiError>
  }
>()("src/http/server/body/ParseWorkers") {
  static readonly layer = Layer.effect(
    ParseWorkers,
    Effect.gen(function* () {
      const makePool = (idleTimeout: number) =>
        Effect.acquireRelease(
          Effect.sync(
            () =>
              new Piscina({
                minThreads: 0,
                maxThreads: THREADS,
                idleTimeout,
                recordTiming: false,
                resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB, maxYoungGenerationSizeMb: 4 }
              })
          ),
          (pool) => Effect.promise(() => pool.destroy())
        )
      const [small, large] = [yield* makePool(IDLE_MS), yield* makePool(0)]
      const threads = Semaphore.makeUnsafe(THREADS)
      const lines = new Map<string, Line>()
      let waitingBytes = 0

      const enter = (subject: string, size: number) =>
        Effect.suspend(() => {
          const line = lines.get(subject) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
          if (line.waiting >= MOST_WAITING || waitingBytes + size > MOST_WAITING_BYTES) {
            return Effect.fail(rateLimited("Too many large bodies wait to be read.").after(1))
          }
          lines.set(subject, line)
          line.waiting++
          waitingBytes += size
          return Effect.succeed(line)
        })
      const leave = (subject: string, line: Line, size: number) =>
        Effect.sync(() => {
          waitingBytes -= size
          if (--line.waiting === 0) lines.delete(subject)
        })

      const onThread = <A>(
        subject: string,
        { module, name, refuse }: ThreadWork,
        task: unknown,
        moved: ReadonlyArray<ArrayBuffer>
      ): Effect.Effect<A, ApiError> => {
        const size = moved.reduce((sum, { byteLength }) => sum + byteLength, 0)
        const work = Effect.tryPromise({
          try: (left): Promise<Outcome<A>> =>
            (size < LARGE_BYTES ? small : large).run(task, {
              filename: module,
              name,
              transferList: [...moved],
              signal: AbortSignal.any([left, AbortSignal.timeout(MOST_MS)])
            }),
          catch: (thrown) => thrown
        }).pipe(
          Effect.catch((thrown) => {
            const why = brokenOff(thrown)
            return why === null ? Effect.die(thrown) : Effect.andThen(countBreak, Effect.fail(refuse(why)))
          }),
          Effect.flatMap((outcome) =>
            "refused" in outcome ? Effect.fail(refusedElsewhere(outcome.refused)) : Effect.succeed(outcome.value)
          )
        )
        return Effect.acquireUseRelease(
          enter(subject, size),
          (line) => line.semaphore.withPermits(1)(threads.withPermits(1)(work)),
          (line) => leave(subject, line, size)
        )
      }
      /** Bytes that share their memory with others are copied: what is moved is gone here. */
      const owned = (bytes: Buffer): Uint8Array<ArrayBuffer> => {
        const { buffer, byteLength } = bytes
        return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
          ? new Uint8Array(buffer)
          : new Uint8Array(bytes)
      }

      const read = <A>(subject: string, work: ThreadWork, bytes: Buffer) => {
        const task = owned(bytes)
        return onThread<A>(subject, work, task, [task.buffer])
      }
      return ParseWorkers.of({
        json: (subject, bytes) => read(subject, jsonWork, bytes),
        read,
        run: (subject, work, task) => onThread(subject, work, task, [])
      })
    })
  )
}
