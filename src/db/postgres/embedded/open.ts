import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { DataDirError } from "#src/db/postgres/dataDir.ts"
import { findBinaries } from "./binaries.ts"
import { ensureCluster, readRolePassword } from "./cluster.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { type Home, prepareHome } from "./home.ts"
import { connect, type Presence, Unreachable } from "./presence.ts"
import { ensureRole, ROLE } from "./role.ts"
import { portOf, start, startAgain, stop } from "./server.ts"

/*
 * The server belongs to DATA_DIR, not to a process. The first process creates and starts it, and the last one stops it.
 * If all its processes were killed, the next one adopts the running server. Atomic operations decide every race:
 * rename(2) for initdb, postmaster.pid for the start, an advisory lock for the stop.
 */

interface Entered {
  readonly url: string
  readonly presence: Presence
}

/** Looks the server up again on every call, because its port may change with a restart. */
const lookUp = Effect.fnUntraced(function* (home: Home) {
  const known = yield* readRolePassword(home)
  const port = yield* Effect.flatMap(
    portOf(home),
    Option.match({
      onNone: () => Effect.fail(new Unreachable({ cause: "not started" })),
      onSome: (port) => Effect.succeed(port)
    })
  )
  const password = known ?? (yield* ensureRole(home, port))
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres`
  return { url, presence: yield* connect(url) }
})

const enter = Effect.fnUntraced(function* (home: Home) {
  yield* ensureCluster(home)
  const found = yield* lookUp(home)
  yield* found.presence.enter.pipe(Effect.onError(() => found.presence.end))
  return found
})

/** Retries a failed start: another process won the race, or backends of a killed server are still exiting. */
const attach = Effect.fn("EmbeddedPostgres.arrive")(function* (home: Home) {
  const attempt = enter(home).pipe(
    Effect.catchTag("Unreachable", (error) =>
      Effect.flatMap(start(home), (started) => (started.code === 0 ? enter(home) : Effect.fail(error)))
    )
  )
  return yield* attempt.pipe(
    Effect.retry({
      while: (error) => error instanceof Unreachable,
      times: 50,
      schedule: Schedule.spaced("100 millis")
    }),
    Effect.catchTag("Unreachable", () =>
      Effect.fail(
        new EmbeddedPostgresError({
          reason: "not_starting",
          message: `PostgreSQL in ${home.cluster} does not start: see ${home.log}, or set DATABASE_URL.`
        })
      )
    )
  )
})

/**
 * Holds the lock until the server is down, so that a process that arrives in the meantime waits and then starts it
 * again.
 */
const detach = Effect.fn("EmbeddedPostgres.depart")(
  function* (home: Home, { presence }: Entered) {
    if (!(yield* presence.leave)) return
    const stopped = yield* stop(home)
    if (stopped.code !== 0) yield* Effect.logWarning("embedded PostgreSQL did not stop", stopped.output)
  },
  (effect, _home, { presence }) =>
    effect.pipe(
      Effect.catch((error) => Effect.logDebug("embedded PostgreSQL had already stopped", error)),
      Effect.ensuring(presence.end)
    )
)

/** A lost connection has lost its lock, so take it again, and start the server if it has died. */
const holdPresence = Effect.fnUntraced(
  function* (home: Home, { presence, url }: Entered) {
    yield* presence.closed
    yield* Effect.logWarning("embedded PostgreSQL closed the connection that keeps it running: reconnecting")
    yield* presence.enter.pipe(
      Effect.tapError(() => startAgain(home, { url })),
      Effect.retry(Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]))
    )
  },
  (effect) => Effect.forever(effect)
)

/** Opens the server of a data directory for the lifetime of the scope. Creates and starts it if necessary. */
export const open = (
  dataDir: string
): Effect.Effect<{ readonly url: string }, EmbeddedPostgresError | DataDirError, Scope.Scope> =>
  Effect.gen(function* () {
    const home = yield* prepareHome(yield* findBinaries, dataDir)
    const abandon = lookUp(home).pipe(
      Effect.flatMap((found) => detach(home, found)),
      Effect.ignore
    )
    const entered = yield* Effect.acquireRelease(
      attach(home).pipe(Effect.onInterrupt(() => abandon)),
      (entered) => detach(home, entered),
      { interruptible: true }
    )
    yield* Effect.forkScoped(holdPresence(home, entered))
    return { url: entered.url }
  }).pipe(Effect.annotateLogs({ service: "EmbeddedPostgres" }))
