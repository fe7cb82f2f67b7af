import postgres from "postgres"
import { afterAll, afterEach, assert, beforeAll, beforeEach, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const OF_BOTS = ["telegram_bots", "telegram_chats", "telegram_paces", "channels", "lanes", "telegram_updates"]

let telegram: FakeTelegram
let database: TestDatabase
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
})
afterAll(() => telegram.close())
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

/** Written by a connection that then ends, so that the statistics include it. */
const written = async (write: (sql: postgres.Sql) => Promise<unknown>) => {
  const sql = postgres(database.url, { max: 1, connection: { application_name: "writing" } })
  await write(sql)
  await sql.end()
}
const alone = () =>
  until(
    "nobody but us to be connected",
    async () =>
      (
        await database.sql`
          select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
          and application_name <> 'postgres.js'`
      ).length === 0
  )

// With only a thousand rows the planner prefers to read them all. For channels it may do so once, because their state
// is written every ten seconds.
it.for([
  { bots: 1000, more: 1500 },
  { bots: 10_000, more: 500 }
])(
  "a process with $bots bots starts and answers with as few rows as with one, and calls Telegram for no other bot",
  async ({ bots, more }, { annotate }) => {
    const { sql } = database
    const { appId, key } = await createAppIn(sql)
    /** From the start of a process until a person has been greeted and answered. */
    const run = async () => {
      await alone()
      await sql`select pg_stat_reset()`
      const server = await startTestServer({ database, env: { TELEGRAM_API_ROOT: telegram.url } })
      const app = new TestApp(server.baseUrl, appId, key)
      const before = telegram.calls().length
      const [bot, person] = [telegram.createBot(), telegram.createUser()]
      const { status } = await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        join_window_ms: 0,
        character_slug: await app.createCharacter({ greeting: "Hello." })
      })
      assert.strictEqual(status, 200)
      const said = (count: number) =>
        until(
          `${count} messages`,
          () => telegram.transcript(bot, person).filter(({ from }) => from?.id === bot.id).length >= count
        )
      telegram.start(person, bot)
      await said(1)
      telegram.say(person, bot, "Who are you?")
      await said(2)
      await server.close()
      await alone()
      const rows = await sql<Array<{ relname: string; read: number }>>`
      select relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
        where relname = any(${OF_BOTS}) order by relname`
      return {
        read: rows.reduce((sum, { read }) => sum + read, 0),
        rows: rows.map(({ relname, read }) => `${relname} ${read}`).join(", "),
        others: telegram
          .calls()
          .slice(before)
          .filter(({ botId }) => botId !== bot.id).length
      }
    }
    const ofOne = await run()
    const [{ character_slug: slug } = { character_slug: "" }] = await sql<
      Array<{ character_slug: string }>
    >`select character_slug from telegram_bots limit 1`
    await written(async (each) => {
      const id = each`'bot_' || lpad(n::text, 26, '0')`
      await each`insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, username, token, status,
        probe_due_at)
      select ${appId}, ${id}, 'byo', ${slug}, n, 'bot_' || n || '_bot', 'x', 'active', now() + interval '1 day'
        from generate_series(1, ${bots}::int) n`
      await each`insert into channels (app_id, channel_id, covers, kind, paced, endpoint, target)
      select ${appId}, ${id}, 'chats', 'telegram_byo', true, 'telegram ' || n, '{}'
        from generate_series(1, ${bots}::int) n`
      await each`insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
      select ${appId}, ${id}, n, 'private', 'ses_' || n, 'tg:' || n from generate_series(1, ${bots}::int) n`
      // A third of the bots are held, with pending messages. A third of the people have blocked their bot.
      await each`update telegram_bots set status = 'suspended' where user_id <= ${bots}::int and user_id % 3 = 0`
      await each`insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, due_at, raw)
      select ${appId}, ${id}, u, 'text', n, 'infinity', '{}'
        from generate_series(3, ${bots}::int, 3) n, generate_series(1, 10) u`
      await each`update telegram_chats set status = 'blocked' where chat_id <= ${bots}::int and chat_id % 3 = 1`
      await each`
        insert into telegram_paces (app_id, channel_id, chat_id) select ${appId}, ${id}, c
        from generate_series(1, ${bots}::int) n, unnest(array[0, n]) c`
      await each`
        insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
        select ${appId}, 'ses_' || n, ${id}, 1, 0, 0, 'idle' from generate_series(1, ${bots}::int) n`
      await each`
        update lanes set status = 'parked', head = 1, due_at = now() - interval '1 day' from telegram_chats c
        where c.session_id = lanes.session_id and c.channel_id = lanes.channel_id and c.status = 'blocked'`
    })
    const ofMany = await run()
    await annotate(`${ofOne.read} rows with one bot, ${ofMany.read} with ${bots} more`)
    assert.isBelow(ofMany.read, ofOne.read + more, ofMany.rows)
    assert.deepStrictEqual([ofOne.others, ofMany.others], [0, 0])
  }
)
