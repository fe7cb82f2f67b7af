import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals, type LogChange } from "#channels/event-log/LogSignals.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, toDatabaseError } from "./Database.ts"
import { whileStarting } from "./retry.ts"

const CHANNEL = "troupe_log"
/** A PostgreSQL payload is limited to 8,000 bytes, and a change takes at most 30 + 1 + 16. */
const CHANGES_PER_PAYLOAD = 150

/** Appended to the sender's name if lanes have something to deliver. */
const PUSHED = "+"

const encode = (changes: ReadonlyArray<LogChange>) =>
  changes.map(({ sessionId, cursor }) => `${sessionId}:${cursor}`).join(" ")
const decode = (payload: string): ReadonlyArray<LogChange> =>
  payload.split(" ").map((part) => {
    const [sessionId = "", cursor = "0"] = part.split(":")
    return { sessionId, cursor: Number(cursor) }
  })

/**
 * Carries log notifications between processes. NOTIFY takes an instance-wide lock at commit, so the changes of 20 ms
 * are sent together, in a separate transaction that does not wait for the disk. Notifications are hints and may be
 * lost.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { pool, query } = yield* Database
    const signals = yield* LogSignals
    const self = newId("wrk")
    const pending = new Map<string, number>()
    let pushed = false

    const flush = Effect.gen(function* () {
      if (pending.size === 0) return
      const changes = [...pending].map(([sessionId, cursor]) => ({ sessionId, cursor }))
      pending.clear()
      const sender = pushed ? `${self}${PUSHED}` : self
      pushed = false
      const payloads: Array<string> = []
      for (let i = 0; i < changes.length; i += CHANGES_PER_PAYLOAD)
        payloads.push(`${sender} ${encode(changes.slice(i, i + CHANGES_PER_PAYLOAD))}`)
      yield* query(
        (sql) => sql`
      select set_config('synchronous_commit', 'off', true),
        pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`
      )
    }).pipe(Effect.catchTag("DatabaseError", () => Effect.void))

    yield* Effect.acquireRelease(
      Effect.sync(() =>
        signals.forward((changes, push) => {
          pushed ||= push
          for (const { sessionId, cursor } of changes)
            pending.set(sessionId, Math.max(cursor, pending.get(sessionId) ?? 0))
        })
      ),
      (stop) => Effect.sync(stop).pipe(Effect.andThen(flush))
    )
    yield* Effect.acquireRelease(
      whileStarting(
        Effect.tryPromise({
          try: () =>
            pool.listen(CHANNEL, (payload) => {
              const cut = payload.indexOf(" ")
              const [sender, push] = payload.slice(0, cut).split(PUSHED)
              if (sender !== self) signals.receive(decode(payload.slice(cut + 1)), push !== undefined)
            }),
          catch: toDatabaseError
        })
      ),
      (listening) => Effect.promise(() => listening.unlisten().catch(() => {}))
    )
    yield* repeatForever("20 millis", flush).pipe(Effect.annotateLogs({ service: "Notifier" }), Effect.forkScoped)
  })
)
