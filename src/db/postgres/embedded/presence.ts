import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import postgres from "postgres"

/**
 * Shared mode: held by every process that uses the server. Exclusive mode: held by the last one while it stops the
 * server.
 */
const presenceLock = 7_302_117

/** The server answers, but is starting, recovering or stopping. */
const cannotConnectNow = "57P03"

export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly cause: unknown }> {
  get notYet() {
    return (
      typeof this.cause === "object" &&
      this.cause !== null &&
      "code" in this.cause &&
      this.cause.code === cannotConnectNow
    )
  }
}

export interface Presence {
  readonly enter: Effect.Effect<void, Unreachable>
  /** Gives up our presence. True: no other process is present, and none can enter before this connection ends. */
  readonly leave: Effect.Effect<boolean, Unreachable>
  /** Resolves when the connection is closed for any reason. */
  readonly closed: Effect.Effect<void>
  readonly end: Effect.Effect<void>
}

export const ask = <A>(query: () => PromiseLike<A>) =>
  Effect.tryPromise({ try: query, catch: (cause) => new Unreachable({ cause }) }).pipe(
    Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.fail(new Unreachable({ cause: "no answer" })) })
  )

/** Waits for a server that is starting or recovering. */
export const untilReady = <A>(asked: Effect.Effect<A, Unreachable>) =>
  Effect.retry(asked, { while: (error) => error.notYet, times: 600, schedule: Schedule.spaced("100 millis") })

/** One connection that never expires by itself. It reconnects on the next query after it was lost. */
export const connect = Effect.fnUntraced(function* (url: string) {
  const closings = yield* Queue.sliding<void>(1)
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: 0,
    backoff: false,
    onnotice: () => {},
    onclose: () => {
      Queue.offerUnsafe(closings, undefined)
    }
  })
  const presence: Presence = {
    enter: ask(() => sql`select pg_advisory_lock_shared(${presenceLock})`).pipe(untilReady, Effect.asVoid),
    // all: after a lost connection the lock may have been taken more than once
    leave: ask(() => sql`select pg_advisory_unlock_all()`).pipe(
      Effect.andThen(ask(() => sql<Array<{ last: boolean }>>`select pg_try_advisory_lock(${presenceLock}) as last`)),
      Effect.map((rows) => rows[0]?.last === true)
    ),
    closed: Queue.take(closings),
    end: Effect.promise(() => sql.end({ timeout: 0 }).catch(() => {}))
  }
  return presence
})
