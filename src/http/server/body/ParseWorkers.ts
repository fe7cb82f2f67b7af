import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Pool from "effect/Pool"
import * as Semaphore from "effect/Semaphore"
import { Piscina } from "piscina"
import { Crashes } from "#src/units/attempt.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { type ApiError, refusedElsewhere } from "#src/http/server/ApiError.ts"
import { rateLimited, validationError } from "#src/http/server/errors.ts"
import type { Outcome } from "./outcome.ts"
import { ownedBytes } from "./ownedBytes.ts"
import type { json } from "./parseWorker.ts"

const THREADS = 2
/**
 * Heap limit of one thread. The largest valid file needs far less. A thread that exceeds it ends, and its file is
 * refused.
 */
const MAX_HEAP_MB = 96
/**
 * Processor time that one body may take, with the start of its thread. Then the thread is terminated. It is not a limit
 * in real time, because a body is not to blame for a busy machine.
 */
const MAX_MS = 10_000
/** How often the processor time is read, and the limit in real time for a thread that does not report it. */
const CHECK_MS = 250
const MAX_CHECKS = (6 * MAX_MS) / CHECK_MS
/**
 * From this size on, a thread ends with its body. If it waited for the next one, it would keep up to 100 MB of garbage.
 */
const LARGE_BYTES = 1024 * 1024
/**
 * How long a thread that parsed smaller bodies waits for the next one, since starting a thread takes longer than
 * parsing.
 */
const IDLE_MS = 10_000
/** Limits for the waiting bodies of one app, and for the bytes of all apps. */
const MAX_WAITING = 32
const MAX_WAITING_BYTES = 96 * 1024 * 1024

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
  refuse: () => validationError("body: reading it takes too much time or memory")
}

const outOfMemory = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"

/** Processor time that the thread of a pool has used so far. 0 if it has none, or if it does not report it in time. */
const cpuMs = (pool: Piscina): Effect.Effect<number> =>
  Effect.tryPromise(async () => (await pool.threads[0]?.cpuUsage()) ?? { user: 0, system: 0 }).pipe(
    Effect.map(({ user, system }) => (user + system) / 1000),
    Effect.timeout(CHECK_MS),
    Effect.orElseSucceed(() => 0)
  )

/** Ends once the thread of a pool has used more processor time than one body may take. */
const tooLong = Effect.fnUntraced(function* (pool: Piscina) {
  const before = yield* cpuMs(pool)
  for (let check = 0; check < MAX_CHECKS; check++) {
    yield* Effect.sleep(CHECK_MS)
    if ((yield* cpuMs(pool)) - before > MAX_MS) return
  }
})

/** A body whose thread had to be terminated counts as a crash. After five crashes the request is refused unread. */
const countBreak = Effect.gen(function* () {
  const unit = yield* CurrentUnit
  if (unit !== null) yield* (yield* Crashes).count(unit)
})

/** A thread for small bodies and one for large ones. Only one of them works at a time. */
interface Threads {
  readonly small: Piscina
  readonly large: Piscina
}

interface Line {
  readonly semaphore: Semaphore.Semaphore
  waiting: number
}

/**
 * Parses large bodies on separate threads, so that none blocks other requests. Each app has one at a time. Apps take
 * turns, because threads take bodies in the order in which they reach the head of their app's queue.
 */
export class ParseWorkers extends Context.Service<
  ParseWorkers,
  {
    /**
     * Parses a body as storable JSON. `subject` is the app, account or address that sends it. The buffer is
     * transferred.
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
                maxThreads: 1,
                idleTimeout,
                recordTiming: false,
                resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 4 }
              })
          ),
          (pool) => Effect.promise(() => pool.destroy())
        )
      const threads = yield* Pool.make({
        acquire: Effect.all({ small: makePool(IDLE_MS), large: makePool(0) }),
        size: THREADS
      })
      const lines = new Map<string, Line>()
      let waitingBytes = 0

      const enter = (subject: string, size: number) =>
        Effect.suspend(() => {
          const line = lines.get(subject) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
          if (line.waiting >= MAX_WAITING || waitingBytes + size > MAX_WAITING_BYTES) {
            return Effect.fail(rateLimited("Too many large request bodies are waiting to be read.").after(1))
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
        const work = ({ small, large }: Threads) => {
          const pool = size < LARGE_BYTES ? small : large
          const stop = (why: "too_long" | "too_much") => Effect.andThen(countBreak, Effect.fail(refuse(why)))
          return Effect.tryPromise({
            try: (signal): Promise<Outcome<A>> =>
              pool.run(task, { filename: module, name, transferList: [...moved], signal }),
            catch: (thrown) => thrown
          }).pipe(
            Effect.catch((thrown) => (outOfMemory(thrown) ? stop("too_much") : Effect.die(thrown))),
            Effect.raceFirst(Effect.andThen(tooLong(pool), stop("too_long"))),
            Effect.flatMap((outcome) =>
              "refused" in outcome ? Effect.fail(refusedElsewhere(outcome.refused)) : Effect.succeed(outcome.value)
            )
          )
        }
        return Effect.acquireUseRelease(
          enter(subject, size),
          (line) => line.semaphore.withPermits(1)(Effect.scoped(Effect.flatMap(Pool.get(threads), work))),
          (line) => leave(subject, line, size)
        )
      }

      const read = <A>(subject: string, work: ThreadWork, bytes: Buffer) => {
        const task = ownedBytes(bytes)
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
