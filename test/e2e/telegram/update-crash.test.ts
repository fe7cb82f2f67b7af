import { once } from "node:events"
import { resolve } from "node:path"
import type postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { UPDATE_MARK } from "#test/support/hostile/poisonedSource.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const POISON = resolve(import.meta.dirname, "../../support/hostile/poison.ts")

let database: TestDatabase
let telegram: FakeTelegram
let managerToken: string
let app: TestApp
const processes: Array<TroupeProcess> = []

const serve = async (roles: "api" | "worker") => {
  const process = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    ROLES: roles,
    TELEGRAM_API_ROOT: telegram.url,
    TELEGRAM_MANAGER_TOKEN: managerToken,
    POISON_PATIENT: "1",
    NODE_OPTIONS: `--import=${POISON}`
  })
  processes.push(process)
  return process
}
beforeAll(async () => {
  database = await createTestDatabase()
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  managerToken = telegram.createBot({ username: "maker_bot", can_manage_bots: true }).token
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp((await serve("api")).baseUrl, appId, key)
})
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop("SIGKILL")))
  await telegram.close()
  await database.drop()
})

/** A bot that takes messages in, without a webhook. */
const attach = async () => {
  const { status, body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: telegram.createBot().token,
    join_window_ms: 0,
    character_slug: await app.createCharacter({ greeting: "Hello." })
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  await database.sql`update telegram_bots set status = 'active'`
  return body.data.id as string
}
/** Stores an update with this text of a chat of its own. */
const store = async (sql: postgres.ISql, bot: string, updateId: number, text: string) => {
  const person = { id: updateId, is_bot: false, first_name: "Anna" }
  const message = { message_id: updateId, date: 1, chat: { id: updateId, type: "private" }, from: person, text }
  await sql`
    insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, sender_id, message_id, raw)
    values (${app.appId}, ${bot}, ${updateId}, 'text', ${updateId}, ${updateId}, ${updateId},
      ${JSON.stringify({ update_id: updateId, message })}::text::json)`
}
/** The unit has crashed its process four times. */
const suspect = (appId: string, unit: string) => database.sql`
  insert into crashed_units (app_id, kind, unit, crashes) values (${appId}, 'update', ${unit}, 4)`
const crashesOf = async (unit: string) => {
  const [row] = await database.sql<Array<{ crashes: number }>>`
    select crashes from crashed_units where kind = 'update' and unit = ${unit}`
  return row?.crashes ?? 0
}
const isDone = async (table: "telegram_updates" | "telegram_manager_updates", updateId: number) => {
  const [row] = await database.sql<Array<{ error: string | null }>>`
    select error from ${database.sql(table)} where update_id = ${updateId} and done_at is not null`
  return row
}
const whenDead = async ({ child }: TroupeProcess) => {
  if (child.signalCode === null) await once(child, "exit")
  assert.strictEqual(child.signalCode, "SIGABRT")
}

describe("a Telegram update that aborts its process", () => {
  it("is given up at the fifth time and says so, while those of other chats are handled", async () => {
    const bot = await attach()
    const first = await serve("worker")
    await suspect(app.appId, `${bot} 12`)
    await database.sql.begin(async (sql) => {
      for (const id of [11, 12, 13]) await store(sql, bot, id, id === 12 ? UPDATE_MARK : `Hello ${id}.`)
    })
    await whenDead(first)
    await until("the crash to be counted", async () => (await crashesOf(`${bot} 12`)) === 5)

    const second = await serve("worker")
    const given = await until("the update to be given up", () => isDone("telegram_updates", 12))
    assert.strictEqual(given.error, "given_up")
    await until("the log to say so", () => second.stderr().includes("Telegram update given up"))
    for (const id of [11, 13])
      assert.notStrictEqual((await until("the others", () => isDone("telegram_updates", id))).error, "given_up")
    const turns = await database.sql`select 1 from turns where app_id = ${app.appId}`
    assert.lengthOf(turns, 2)

    await suspect("", "manager 22")
    const raw = (text: string) => ({ message: { chat: { id: 5, type: "group" }, text } })
    for (const [id, text] of [
      [21, "Hello."],
      [22, UPDATE_MARK],
      [23, "Hello again."]
    ] as const)
      await database.sql`insert into telegram_manager_updates (update_id, raw)
        values (${id}, ${JSON.stringify({ update_id: id, ...raw(text) })}::text::json)`
    await database.sql`select graphile_worker.add_job('manager', '{}'::json)`
    await whenDead(second)
    await until("the crash to be counted", async () => (await crashesOf("manager 22")) === 5)
    assert.strictEqual((await app.get("/v1/characters")).status, 200)

    const third = await serve("worker")
    const ended = await until("the update to be given up", () => isDone("telegram_manager_updates", 22))
    assert.strictEqual(ended.error, "given_up")
    for (const id of [21, 23]) await until("the others", () => isDone("telegram_manager_updates", id))
    await until("the log to say so", () => third.stderr().includes("manager bot update given up"))
    assert.isNull(third.child.signalCode)
    assert.strictEqual(await crashesOf("manager 23"), 0, "one is handled after another")
  })
})
