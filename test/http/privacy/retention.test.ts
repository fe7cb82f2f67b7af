import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(() => server.close())

const retain = (log: Duration.Duration | null = Duration.days(30)) =>
  Effect.runPromise(
    Retention.use((retention) => retention.apply).pipe(
      Effect.provide(
        Retention.layer({
          attempts: Duration.days(30),
          log,
          turns: null,
          evals: null,
          batches: null,
          imports: null
        }).pipe(
          Layer.provide(Layer.succeed(Tables, allTables)),
          Layer.provide(Database.layer({ url: Redacted.make(server.database.url), maxConnections: 2 }))
        )
      )
    )
  )
/** A session with a log of six events, the first three of them forty days old. */
const oldSession = async (): Promise<string> => {
  const session = await app.createSession()
  await app.converse(session, "What is for dinner?")
  await app.converse(session, "And what is for breakfast?")
  await server.database
    .sql`update events set created_at = now() - interval '40 days' where session_id = ${session} and cursor <= 3`
  return session
}
const kept = async (session: string) =>
  (await server.database.sql`select cursor::int from events where session_id = ${session} order by cursor`).map(
    (row) => row["cursor"]
  )

describe("a feed with limited retention", () => {
  it("tells a reader who has fallen behind, and begins at the oldest event that is kept", async () => {
    const reader = await server.createApp()
    const idle = (await reader.get("/v1/events")).body.data.next_cursor
    const session = await reader.createSession()
    await reader.converse(session, "What is for dinner?")
    await reader.converse(session, "And what is for breakfast?")
    const page = async (query: string) => (await reader.get(`/v1/events?${query}`)).body.data
    // Transactions of other tests on the same server that began before an event hold it back.
    await until("the feed to show everything", async () => (await page("limit=10")).events.length === 6)
    const atFirst = (await page("limit=1")).next_cursor
    const atLast = (await page("limit=3")).next_cursor
    await server.database
      .sql`update events set created_at = now() - interval '40 days' where session_id = ${session} and cursor <= 3`
    await retain()
    const behind = await reader.get(`/v1/events?since=${atFirst}`)
    assert.deepStrictEqual([behind.status, behind.body.detail.code], [410, "cursor_expired"])
    for (const since of [idle, "0", atLast, behind.body.detail.earliest_since])
      assert.deepStrictEqual(
        (await page(`since=${since}`)).events.map(({ cursor }: { cursor: number }) => cursor),
        [4, 5, 6],
        since
      )
    const from = (await page("limit=1")).next_cursor
    await retain()
    assert.strictEqual((await page(`since=${from}`)).events[0].cursor, 5)
  })
})

describe("a log with limited retention", () => {
  it("loses older events, and reports its new start to pages and streams that ask for older ones", async () => {
    const session = await oldSession()
    await retain()
    assert.deepStrictEqual(await kept(session), [4, 5, 6])
    for (const path of ["events", "events/stream"]) {
      const answer = await app.get(`/v1/sessions/${session}/${path}?since=2`)
      assert.strictEqual(answer.status, 410)
      assert.strictEqual(answer.body.detail.code, "cursor_expired")
      assert.include(answer.body.detail.fix, "since=3")
      assert.strictEqual(answer.body.detail.earliest_since, 3)
    }
    const { body } = await app.get(`/v1/sessions/${session}/events?since=3`)
    assert.deepStrictEqual(
      body.data.events.map(({ cursor }: { cursor: number }) => cursor),
      [4, 5, 6]
    )
    await app.converse(session, "And for lunch?")
  })

  it("keeps what a lane still has to deliver, except for a disabled channel", async () => {
    const session = await oldSession()
    const { body } = await app.post(`/v1/sessions/${session}/channels`, {
      kind: "webhook",
      url: "http://127.0.0.1:9/",
      from: "start"
    })
    await app.post(`/v1/sessions/${session}/channels/${body.data.id}/pause`, {})
    await server.database.sql`update lanes set position = 1 where session_id = ${session}`
    await retain()
    assert.deepStrictEqual(await kept(session), [2, 3, 4, 5, 6])
    await server.database.sql`update channels set status = 'disabled' where session_id = ${session}`
    await retain()
    assert.deepStrictEqual(await kept(session), [4, 5, 6])
  })

  it("keeps what a turn still has to answer", async () => {
    const session = await oldSession()
    const { sql } = server.database
    await sql.begin(async (alive) => {
      // A worker that holds its lock is alive: the turn is not taken from it, and nobody else answers it.
      await alive`select pg_advisory_xact_lock(hashtextextended('wrk_other', 0))`
      // It is never silent, however long this takes.
      await sql`insert into workers (worker_id, heartbeat_at) values ('wrk_other', now() + interval '1 hour')`
      await sql`update turns set outcome = null, owner = 'wrk_other' where session_id = ${session} and turn_index = 1`
      await retain()
      assert.deepStrictEqual(await kept(session), [1, 2, 3, 4, 5, 6])
    })
  })

  it("loses a long history step by step", async () => {
    const session = await oldSession()
    await server.database.sql`update events set cursor = cursor + 2500 where session_id = ${session}`
    await server.database.sql`update session_logs set last_cursor = 2506 where session_id = ${session}`
    await server.database.sql`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, created_at)
      select ${app.appId}, ${session}, n, 'evt_' || n, 'message.created', 'user', 'run_1', 'api', '{}',
        now() - interval '50 days' from generate_series(1, 2500) n`
    await retain()
    assert.deepStrictEqual(await kept(session), [2504, 2505, 2506])
  })

  it("is kept forever by default", async () => {
    const session = await oldSession()
    await retain(null)
    assert.deepStrictEqual(await kept(session), [1, 2, 3, 4, 5, 6])
  })
})

describe("delivery attempts", () => {
  it("are deleted after thirty days", async () => {
    await server.database.sql`
      insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, started_at)
      select ${app.appId}, 'ses_1', 'chn_1', n, 1, 'evt_1', 'sent', now() - n * interval '1 day'
        from generate_series(20, 40) n`
    await retain(null)
    assert.deepStrictEqual(
      (
        await server.database.sql`select max(cursor)::int as oldest from delivery_attempts where channel_id = 'chn_1'`
      )[0],
      { oldest: 29 }
    )
  })
})

describe("a replaced secret", () => {
  it("is deleted once it no longer signs, and not before", async () => {
    const session = await app.createSession()
    const channels = `/v1/sessions/${session}/channels`
    const rotated = async () => {
      const { body } = await app.post(channels, { kind: "webhook", url: "http://127.0.0.1:9/" })
      await app.patch(`${channels}/${body.data.id}`, { secret: "rotate" })
      return body.data.id
    }
    const [over, lasting] = [await rotated(), await rotated()]
    await server.database
      .sql`update channels set previous_secret_until = now() - interval '1 second' where channel_id = ${over}`
    await retain(null)
    const rows = await server.database
      .sql`select channel_id from channels where session_id = ${session} and previous_secret is not null`
    assert.deepStrictEqual([...rows], [{ channel_id: lasting }])
  })
})

describe("stored Telegram updates", () => {
  it("are kept for three days, and longer only while a held bot still has to answer them", async () => {
    const { sql } = server.database
    const slug = await app.createCharacter()
    for (const [number, status] of [
      ["1", "suspended"],
      ["2", "detached"]
    ] as const) {
      await sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, status, probe_due_at)
        values (${app.appId}, ${`bot_${number}`}, 'byo', ${slug}, ${number}, ${status}, now() + interval '1 day')`
      for (const [update, age, done] of [
        [1, "73 hours", true],
        [2, "73 hours", false],
        [3, "71 hours", true]
      ] as const) {
        await sql`insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, raw, received_at,
          done_at) values (${app.appId},
            ${`bot_${number}`}, ${update}, 'text', 7, '{}', now() - ${age}::interval, ${done ? new Date() : null})`
      }
    }
    for (const [update, age] of [
      [1, "73 hours"],
      [2, "71 hours"],
      [3, null]
    ] as const) {
      await sql`insert into telegram_manager_updates (update_id, raw, done_at, due_at)
        values (${update}, '{}', now() - ${age}::interval, now() + interval '1 day')`
    }
    await retain(null)
    const left = await sql`select channel_id, update_id::int as id from telegram_updates order by 1, 2`
    assert.deepStrictEqual(
      left.map(({ channel_id, id }) => `${channel_id} ${id}`),
      ["bot_1 2", "bot_1 3", "bot_2 3"]
    )
    assert.deepStrictEqual(
      (await sql`select update_id::int as id from telegram_manager_updates order by 1`).map(({ id }) => id),
      [2, 3]
    )
  })
})

describe("what a bot replies without a session", () => {
  it("is kept for three days, or longer while it waits for its bot, and then deleted with its chat", async () => {
    const { sql } = server.database
    const session = await app.createSession({ external_user_ref: "tg:3" })
    await sql`insert into channels (app_id, channel_id, covers, kind, endpoint, target)
      values (${app.appId}, 'bot_4', 'chats', 'telegram_byo', 'telegram', '{}')`
    for (const [chat, age, isSent, status] of [
      [1, "73 hours", true, "active"],
      [2, "71 hours", true, "active"],
      [3, "73 hours", true, "active"],
      [4, "73 hours", false, "active"],
      [5, "73 hours", false, "blocked"]
    ] as const) {
      const log = `svc_${String(chat).padStart(26, "0")}`
      await sql`insert into telegram_chats (app_id, channel_id, chat_id, kind, external_user_ref, status,
        service_log_id) values (${app.appId}, 'bot_4', ${chat}, 'private', ${`tg:${chat}`}, ${status}, ${log})`
      await sql`insert into telegram_paces (app_id, channel_id, chat_id) values (${app.appId}, 'bot_4', ${chat})`
      await sql`insert into session_logs (app_id, session_id, status, last_cursor)
        values (${app.appId}, ${log}, 'service', 1)`
      await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload,
        created_at) values (${app.appId}, ${log}, 1, ${`evt_${log}`}, 'channel.notice', 'system', 'run_1', 'telegram',
          '{"text":"Nobody."}', now() - ${age}::interval)`
      await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
        values (${app.appId}, ${log}, 'bot_4', 1, ${isSent ? 1 : 0}, 1, 'parked')`
    }
    await retain(null)
    const logs = async (table: string) =>
      (await sql`select session_id from ${sql(table)} where session_id like 'svc_%' order by 1`).map((row) =>
        Number(row["session_id"].slice(4))
      )
    for (const table of ["session_logs", "events", "lanes"]) assert.deepStrictEqual(await logs(table), [2, 4], table)
    const chats = async (table: string) =>
      (await sql`select chat_id::int as id from ${sql(table)} where channel_id = 'bot_4' order by 1`).map(
        ({ id }) => id
      )
    for (const table of ["telegram_chats", "telegram_paces"])
      assert.deepStrictEqual(await chats(table), [2, 3, 4], table)
    assert.strictEqual((await app.get(`/v1/sessions/${session}`)).status, 200)
  })
})
