import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { GATHER_MS, watchGrowth } from "#channels/event-log/growth.ts"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { pullEvents } from "./consumerPull.ts"
import { acknowledge, type ConsumerRow, lockConsumer, MAX_PULLED_BYTES } from "./consumerStatements.ts"
import { endOfFeed } from "./feedStatements.ts"

/** Maximum number of consumers of an app. */
export const MAX_CONSUMERS = 50

/** Consumers of which a process remembers when they had read everything. */
const MAX_REMEMBERED = 10_000

/** Events whose lease has ended, and events that were left to wait, are found at the next of these checks. */
const CHECK_MS = 1000

export class ConsumerLimitReached extends Schema.TaggedError<ConsumerLimitReached>()("ConsumerLimitReached", {}) {}

export interface Consumer {
  readonly name: string
  readonly types: ReadonlyArray<string> | null
  readonly character: string | null
  readonly lease_seconds: number
  readonly created_at: Date
  /** Sessions of which a process has events. */
  readonly leased_sessions: number
  /** Sessions of which events wait for a process. */
  readonly waiting_sessions: number
  /** When the next event was written that no process was given yet, whether or not the filter shows it. */
  readonly next_event_at: Date | null
}

/** What is set. Missing fields stay as they are, or have their default. */
export interface ConsumerSettings {
  readonly from: "start" | "now"
  readonly types?: ReadonlyArray<string> | null | undefined
  readonly character?: string | null | undefined
  readonly leaseSeconds?: number | undefined
}

export interface Pulled {
  readonly events: ReadonlyArray<string>
  /** Acknowledges them. Null: there are none. */
  readonly token: string | null
  /** Retention has deleted events before a process was given them. */
  readonly expired: boolean
}

const NOTHING: Pulled = { events: [], token: null, expired: false }

const DEFAULT_LEASE_SECONDS = 60

/**
 * The pulls of one consumer that wait in this process. One of them looks at a time, so that many do not keep the
 * transactions of others waiting. Looks are numbered.
 */
interface Line {
  readonly turn: Semaphore.Semaphore
  pulls: number
  /** The latest look that found nothing, and when it began. */
  empty: number
  emptyAt: number
}

/** Consumers of the feed whose place the server keeps. */
export class Consumers extends Context.Service<
  Consumers,
  {
    readonly put: (
      appId: string,
      name: string,
      settings: ConsumerSettings
    ) => Effect.Effect<void, ConsumerLimitReached | DatabaseError>
    readonly list: (appId: string, name?: string) => Effect.Effect<ReadonlyArray<Consumer>, DatabaseError>
    readonly delete: (appId: string, name: string) => Effect.Effect<boolean, DatabaseError>
    /** Returns the number of sessions that were acknowledged. */
    readonly acknowledge: (appId: string, name: string, token: string) => Effect.Effect<number, DatabaseError>
    /** Waits for events, but not longer than `wait` or until `giveUp` completes. Undefined: no such consumer. */
    readonly pull: (
      appId: string,
      name: string,
      limit: number,
      wait: Duration.Duration,
      giveUp: Effect.Effect<void>
    ) => Effect.Effect<Pulled | undefined, DatabaseError>
  }
>()("src/db/conversation/Consumers") {
  static readonly layer = Layer.effect(
    Consumers,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const signals = yield* LogSignals

      const put = Effect.fnUntraced(function* (appId: string, name: string, settings: ConsumerSettings) {
        const { types, character, leaseSeconds = null } = settings
        yield* query((sql) => sql`select 1 from apps where app_id = ${appId} for no key update`)
        const changed = yield* query(
          (sql) => sql`
            update consumers set lease_seconds = coalesce(${leaseSeconds}::int, lease_seconds),
              types = case when ${types === undefined} then types
                else string_to_array(${types?.join(" ") ?? null}::text, ' ') end,
              character_filter = case when ${character === undefined} then character_filter
                else ${character ?? null}::text end
            where app_id = ${appId} and name = ${name} returning 1`
        )
        if (changed.length > 0) return
        const [counted] = yield* query<Array<{ n: number }>>(
          (sql) => sql`select count(*)::int as n from consumers where app_id = ${appId}`
        )
        if ((counted?.n ?? 0) >= MAX_CONSUMERS) return yield* new ConsumerLimitReached()
        yield* query(
          (sql) => sql`
            insert into consumers (app_id, name, types, character_filter, lease_seconds, feed_position, feed_session,
              feed_cursor, trimmed)
            select ${appId}, ${name}, string_to_array(${types?.join(" ") ?? null}::text, ' '),
              ${character ?? null}::text, coalesce(${leaseSeconds}::int, ${DEFAULT_LEASE_SECONDS}::int),
              case when ${settings.from} = 'now' then (${endOfFeed(sql)}) else 0 end, '', 0,
              coalesce((select t.position from feed_trims t where t.app_id = ${appId}), 0)`
        )
      }, transaction)

      const pullOnce = Effect.fnUntraced(
        function* (appId: string, name: string, limit: number) {
          const [consumer] = yield* query<Array<ConsumerRow>>((sql) => lockConsumer(sql, appId, name))
          return consumer === undefined ? undefined : yield* pullEvents(appId, consumer, limit)
        },
        transaction,
        Effect.provideService(Database, database)
      )

      const caughtUpAt = new Map<string, number>()
      /** A process that pulls as soon as it has handled an event or two waits a little for the next ones. */
      const gather = Effect.fnUntraced(function* (consumer: string, wait: Duration.Duration) {
        const since = caughtUpAt.get(consumer)
        if (since === undefined || Duration.isZero(wait)) return
        const left = since + GATHER_MS - (yield* Clock.currentTimeMillis)
        yield* Effect.sleep(Math.max(0, Math.min(left, Duration.toMillis(wait))))
      })
      const remember = (consumer: string, isCaughtUp: boolean, now: number) => {
        if (caughtUpAt.size >= MAX_REMEMBERED) caughtUpAt.clear()
        if (isCaughtUp) caughtUpAt.set(consumer, now)
        else caughtUpAt.delete(consumer)
      }

      const lines = new Map<string, Line>()
      const inLine = (consumer: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const line = lines.get(consumer) ?? {
              turn: Semaphore.makeUnsafe(1),
              pulls: 0,
              empty: 0,
              emptyAt: -Infinity
            }
            lines.set(consumer, line)
            line.pulls++
            return line
          }),
          (line) => Effect.sync(() => --line.pulls === 0 && lines.delete(consumer))
        )
      let looks = 0

      const pull = (
        appId: string,
        name: string,
        limit: number,
        wait: Duration.Duration,
        giveUp: Effect.Effect<void>
      ): Effect.Effect<Pulled | undefined, DatabaseError> =>
        Effect.scoped(
          Effect.gen(function* () {
            const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
            // Subscribes before reading, so that no event is missed in between.
            const growth = yield* watchGrowth(appId).pipe(Effect.provideService(LogSignals, signals))
            const consumer = `${appId} ${name}`
            const line = yield* inLine(consumer)
            yield* gather(consumer, wait)
            /** What is there now. Nothing, if a later look than `after` found nothing, or one in the last `ageMs`. */
            const look = (after: number, ageMs: number) =>
              line.turn.withPermits(1)(
                Effect.gen(function* () {
                  const now = yield* Clock.currentTimeMillis
                  if (line.empty > after || now - line.emptyAt < ageMs) return NOTHING
                  const own = ++looks
                  const room = yield* ReadRoom
                  const pulled = yield* room(2 * MAX_PULLED_BYTES, pullOnce(appId, name, limit))
                  const found = pulled?.events.length ?? 0
                  remember(consumer, found > 0 && found < limit, yield* Clock.currentTimeMillis)
                  if (pulled !== undefined && found === 0 && !pulled.expired) {
                    line.empty = own
                    line.emptyAt = now
                  }
                  return pulled
                })
              )
            let pulled = yield* look(looks, 0)
            while (pulled !== undefined && pulled.events.length === 0 && !pulled.expired) {
              const left = deadline - (yield* Clock.currentTimeMillis)
              if (left <= 0) return pulled
              const woken = yield* growth.pipe(
                Effect.as("grown" as const),
                Effect.raceFirst(Effect.as(giveUp, "given up" as const)),
                Effect.timeoutOrElse({
                  duration: Math.min(left, CHECK_MS),
                  orElse: () => Effect.succeed("check" as const)
                })
              )
              if (woken === "given up") return pulled
              pulled = woken === "grown" ? yield* look(looks, 0) : yield* look(Infinity, CHECK_MS)
            }
            return pulled
          })
        )

      return Consumers.of({
        put,
        pull,
        list: (appId, name) =>
          query<Array<Consumer>>(
            (sql) => sql`
              select c.name, array_to_json(c.types) as types, c.character_filter as character, c.lease_seconds,
                c.created_at, coalesce(l.leased, 0)::int as leased_sessions,
                coalesce(l.waiting, 0)::int as waiting_sessions,
                (select e.created_at from events e where e.app_id = c.app_id
                    and (e.feed_position, e.session_id, e.cursor) > (c.feed_position, c.feed_session, c.feed_cursor)
                  order by e.feed_position, e.session_id, e.cursor limit 1) as next_event_at
              from consumers c left join lateral (
                select count(*) filter (where token is not null and leased_until > now()) as leased,
                  count(*) filter (where leased_until <= now() or last_cursor > given_cursor) as waiting
                from consumer_leases l where l.app_id = c.app_id and l.name = c.name
              ) l on true
              where c.app_id = ${appId} and (${name ?? null}::text is null or c.name = ${name ?? null}::text)
              order by c.name`
          ),
        delete: (appId, name) =>
          query((sql) => sql`delete from consumers where app_id = ${appId} and name = ${name} returning 1`).pipe(
            Effect.map((rows) => rows.length > 0)
          ),
        // Under the lock of the consumer, so that a pull does not let events wait in a lease that is being deleted.
        acknowledge: (appId, name, token) =>
          query((sql) => lockConsumer(sql, appId, name)).pipe(
            Effect.andThen(query((sql) => acknowledge(sql, appId, name, token))),
            Effect.map((rows) => rows.length),
            transaction
          )
      })
    })
  )
}
