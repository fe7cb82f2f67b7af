import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { LogSignals, type LogChange } from "#channels/event-log/LogSignals.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, toDatabaseError } from "./Database.ts"
import { whileStarting } from "./retry.ts"

const CHANNEL = "troupe_log"
/** A PostgreSQL payload is limited to 8,000 bytes, and a change takes at most 30 + 1 + 16 + 1 + 30. */
const CHANGES_PER_PAYLOAD = 95

/** Appended to the sender's name if lanes have something to deliver. */
const PUSHED = "+"

const encode = (changes: ReadonlyArray<LogChange>) =>
  changes.map(({ appId, sessionId, cursor }) => `${sessionId}:${cursor}:${appId}`).join(" ")
const decode = (payload: string): ReadonlyArray<LogChange> =>
  payload.split(" ").map((part) => {
    const [sessionId = "", cursor = "0", appId = ""] = part.split(":")
    return { appId, sessionId, cursor: Number(cursor) }
  })

/**
 * Carries log notifications between processes. NOTIFY takes an instance-wide lock at commit, so after each, the changes
 * of the next 20 ms are sent together, in a separate transaction that does not wait for the disk. Notifications are
 * hints and may be lost.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sessions, query } = yield* Database
    const signals = yield* LogSignals
    const self = newId("wrk")
    const pending = new Map<string, LogChange>()
    let pushed = false
    const announced = yield* Queue.sliding<void>(1)

    const flush = Effect.gen(function* () {
      if (pending.size === 0) return
      const changes = [...pending.values()]
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
          Queue.offerUnsafe(announced, undefined)
          for (const change of changes)
            if (change.cursor >= (pending.get(change.sessionId)?.cursor ?? 0)) pending.set(change.sessionId, change)
        })
      ),
      (stop) => Effect.sync(stop).pipe(Effect.andThen(flush))
    )
    yield* Effect.acquireRelease(
      whileStarting(
        Effect.tryPromise({
          try: () =>
            sessions.listen(CHANNEL, (payload) => {
              const cut = payload.indexOf(" ")
              const [sender, push] = payload.slice(0, cut).split(PUSHED)
              if (sender !== self) signals.receive(decode(payload.slice(cut + 1)), push !== undefined)
            }),
          catch: toDatabaseError
        })
      ),
      (listening) => Effect.promise(() => listening.unlisten().catch(() => {}))
    )
    yield* repeatForever("20 millis", Effect.andThen(Queue.take(announced), flush)).pipe(
      Effect.annotateLogs({ service: "Notifier" }),
      Effect.forkScoped
    )
  })
)
