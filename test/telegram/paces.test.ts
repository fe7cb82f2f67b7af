import { assert, describe, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { Pace, type InFlightCall } from "#channels/telegram/Pace.ts"
import type { ChatsUnavailable } from "#channels/telegram/TelegramChats.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import * as PostgresPace from "#src/db/telegram/PostgresPace.ts"
import { Rates } from "#test/support/telegram/Rates.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"

const CEILINGS = { chat: { perSecond: 1, burst: 3 }, group: { perSecond: 1 / 3, burst: 1 } }
/** A call that does not return is counted as if it took this long. */
const UNDER_WAY_MS = 1000
const EVERY_MS = { chat: 1000, group: 3000 }

const services = Layer.unwrap(
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => createTestDatabase()),
      (database) => Effect.promise(() => database.drop())
    )
    return PostgresPace.layer.pipe(
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 4 }))
    )
  })
)

const call = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1500 })),
  isTyping: fc.boolean(),
  /** The time from a message's slot to its departure. */
  lateMs: fc.integer({ min: 0, max: 200 }),
  onItsWayMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: UNDER_WAY_MS - 100 })),
  /** Otherwise its process is killed meanwhile, or it is interrupted. */
  isBack: fc.boolean()
})
type Call = typeof call extends fc.Arbitrary<infer A> ? A : never

let chats = 0
/** A chat in which somebody waits for an answer, and a clock under the test's control, also for the database. */
const openChat = Effect.fnUntraced(function* (isGroup: boolean) {
  const { query } = yield* Database
  const chatId = (isGroup ? -1 : 1) * ++chats
  const ref = { appId: "app_1", channelId: `bot_${chats}`, sessionId: `ses_${chats}` }
  yield* query((sql) => sql`insert into apps (app_id, name) values (${ref.appId}, 'App') on conflict do nothing`)
  yield* query(
    (sql) =>
      sql`insert into channels (app_id, channel_id, covers, kind, endpoint, target)
        values (${ref.appId}, ${ref.channelId}, 'chats', 'telegram_byo', 'telegram', '{}')`
  )
  yield* query(
    (sql) => sql`
    insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
      values (${ref.appId}, ${ref.channelId}, ${chatId}, 'private', ${ref.sessionId}, 'tg:1')`
  )
  yield* query(
    (sql) => sql`
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd)
      values (${ref.appId}, ${ref.sessionId}, 1, ${`run_${chats}`}, 1, 'fast', 'telegram', 0)`
  )
  yield* query(
    (sql) =>
      sql`insert into telegram_paces (app_id, channel_id, chat_id)
        select ${ref.appId}, ${ref.channelId}, unnest(array[0, ${chatId}::bigint])`
  )

  let skippedMs = 0
  const pass = (ms: number) =>
    Effect.suspend(() => {
      if (ms <= 0) return Effect.void
      skippedMs += ms
      return query(
        (sql) => sql`
      update telegram_paces set taken_until = taken_until -
        ${ms}::float8 * interval '1 millisecond',
          promised_until = promised_until - ${ms}::float8 * interval '1 millisecond'
      where channel_id = ${ref.channelId}`
      )
    })
  const now = query<Array<{ ms: number }>>(
    (sql) => sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  ).pipe(Effect.map(([row]) => (row?.ms ?? 0) + skippedMs))
  return { ref, pass, now, skippedMs: () => skippedMs }
})

describe("the pace of a chat", () => {
  layer(services)((it) => {
    it.effect(
      "stays within the limits as calls arrive, over any number of processes, and even if some are killed or " +
        "interrupted",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Database | Pace>()
          const { acquire, reserve, release, tryAcquire } = yield* Pace
          const play = Effect.fnUntraced(function* (isGroup: boolean, calls: ReadonlyArray<Call>) {
            const { ref, pass, now, skippedMs } = yield* openChat(isGroup)
            const arrivals: Array<number> = []
            const due: Array<{
              readonly atMs: number
              readonly act: Effect.Effect<unknown, ChatsUnavailable | DatabaseError>
            }> = []
            const leave = Effect.fnUntraced(function* ({ onItsWayMs, isBack }: Call, inFlight: InFlightCall | null) {
              if (inFlight === null) return assert.fail("the chat's pace is not kept")
              const { chatId, untilMs, aheadMs } = inFlight
              const skippedBeforeMs = skippedMs()
              // If it is counted as slow, that shows its departure time to the microsecond.
              const leftAtMs =
                aheadMs > 0
                  ? untilMs + skippedBeforeMs - EVERY_MS[isGroup ? "group" : "chat"] - UNDER_WAY_MS
                  : yield* now
              arrivals.push(leftAtMs + onItsWayMs)
              if (isBack)
                due.push({
                  atMs: leftAtMs + onItsWayMs,
                  act: Effect.suspend(() =>
                    release(ref, { chatId, untilMs: untilMs + skippedBeforeMs - skippedMs(), aheadMs })
                  )
                })
            })
            const send = Effect.fnUntraced(function* (call: Call) {
              const grant = yield* acquire(ref)
              if (grant !== undefined && "inFlight" in grant) yield* leave(call, grant.inFlight)
            })
            const begin = Effect.fnUntraced(function* (call: Call) {
              if (call.isTyping) {
                const place = yield* tryAcquire(ref)
                assert.notStrictEqual(place, "over")
                if (typeof place === "object") yield* leave(call, place.inFlight)
              } else {
                const wait = (yield* reserve(ref, { proactive: false, within: Duration.seconds(4) })) ?? assert.fail()
                if (Duration.isLessThanOrEqualTo(wait, Duration.seconds(4)))
                  due.push({ atMs: (yield* now) + Duration.toMillis(wait) + call.lateMs, act: send(call) })
              }
            })
            let atMs = yield* now
            for (const call of calls) due.push({ atMs: (atMs += call.afterMs), act: begin(call) })
            while (due.length > 0) {
              const [next] = due.splice(
                due.indexOf(due.reduce((first, one) => (one.atMs < first.atMs ? one : first))),
                1
              )
              yield* pass((next?.atMs ?? 0) - (yield* now))
              yield* next?.act ?? Effect.void
            }
            let nowMs = 0
            const ceilings = new Rates(CEILINGS, { nowMs: () => nowMs })
            return arrivals
              .toSorted((one, other) => one - other)
              .map((arrivesAtMs) => {
                nowMs = arrivesAtMs
                return ceilings.takeCall(1, isGroup ? "-1" : "1")
              })
          })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(
                fc.boolean(),
                fc.array(call, { minLength: 2, maxLength: 20 }),
                async (isGroup, calls) => {
                  const waits = await Effect.runPromiseWith(context)(play(isGroup, calls))
                  assert.isTrue(
                    waits.every((wait) => wait === 0),
                    `told to wait: ${waits.join()}`
                  )
                }
              ),
              { numRuns: 100 }
            )
          )
        })
    )

    it.effect("allows three calls at once, and then one a second, if the calls return", () =>
      Effect.gen(function* () {
        const { acquire, reserve, release } = yield* Pace
        const { ref, pass } = yield* openChat(false)
        const waits: Array<number> = []
        for (let n = 0; n < 5; n++) {
          const wait = (yield* reserve(ref, { proactive: false, within: Duration.seconds(2) })) ?? assert.fail()
          waits.push(Duration.toSeconds(wait))
          yield* pass(Duration.toMillis(wait))
          const grant = yield* acquire(ref)
          if (grant === undefined || "wait" in grant || grant.inFlight === null)
            return assert.fail("another call came before it")
          yield* release(ref, grant.inFlight)
        }
        assert.deepStrictEqual(waits.slice(0, 3), [0, 0, 0])
        assert.isAtMost(Math.max(...waits), 1)
      })
    )

    it.effect(
      "reserves a slot for one call at a time: others, including typing, get the next, and an unused reservation " +
        "expires soon",
      () =>
        Effect.gen(function* () {
          const { acquire, reserve, tryAcquire } = yield* Pace
          const { ref, pass } = yield* openChat(true)
          const ask = Effect.map(reserve(ref, { proactive: false, within: Duration.seconds(2) }), (wait) =>
            Duration.toMillis(wait ?? assert.fail())
          )
          assert.strictEqual(yield* ask, 0)
          assert.isAbove(yield* ask, 2000)
          assert.strictEqual(yield* tryAcquire(ref), "busy")
          yield* pass(600)
          assert.strictEqual(yield* ask, 0)
          const first = yield* acquire(ref)
          assert.isTrue(first !== undefined && "chat" in first)
          const second = yield* acquire(ref)
          assert.isTrue(second !== undefined && "wait" in second && Duration.toMillis(second.wait) > 3000)
        })
    )

    it.effect("is not kept for a missing chat, and does not block it", () =>
      Effect.gen(function* () {
        const { query } = yield* Database
        const { acquire } = yield* Pace
        const { ref } = yield* openChat(false)
        yield* query((sql) => sql`delete from telegram_paces where channel_id = ${ref.channelId} and chat_id <> 0`)
        const grant = yield* acquire(ref)
        assert.isTrue(grant !== undefined && "chat" in grant && grant.inFlight === null)
        yield* query((sql) => sql`delete from telegram_chats where channel_id = ${ref.channelId}`)
        assert.isUndefined(yield* acquire(ref))
      })
    )
  })
})
