import { randomUUID } from "node:crypto"
import { assert, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { start } from "#test/support/FakeModel.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

/** Everything that an app ever receives, and the addresses that it requested. */
class RecordingApp extends TestApp {
  readonly seen: Array<string> = []
  override async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<Answer> {
    const answer = await super.request(method, path, body, headers)
    this.seen.push(`${method} ${this.baseUrl}${path}`, JSON.stringify([...answer.headers]), JSON.stringify(answer.body))
    return answer
  }
}

/** Jobs are deleted when they are done, so each one is copied when it is written. */
const copyJobs = async ({ sql }: TestDatabase) => {
  await sql`create table job_copies (job text)`
  await sql`create function copy_job() returns trigger language plpgsql as
    'begin insert into job_copies values (new::text); return new; end'`
  await sql`create trigger copy_job after insert
    or update on graphile_worker._private_jobs for each row execute function copy_job()`
}

/** Every row of every table, as text. */
const allRows = async ({ sql }: TestDatabase): Promise<ReadonlyArray<string>> => {
  const tables = await sql<
    Array<{ name: string }>
  >`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public',
    'graphile_worker')`
  const rows = await Promise.all(tables.map(({ name }) => sql.unsafe(`select t::text as row from ${name} t`)))
  return rows.flatMap((table, index) => table.map((row) => `${tables[index]?.name}: ${row["row"]}`))
}

/** The forms in which a secret may be written. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString("hex"),
    bytes.toString("base64").replace(/=*$/, "").slice(0, -1),
    bytes.toString("base64url").slice(0, -1),
    JSON.stringify(secret).slice(1, -1)
  ]
}

/**
 * All secrets between Telegram and Troupe: tokens, whole and without the bot's id, and the secrets that authenticate
 * updates.
 */
const secretsOf = (telegram: FakeTelegram, tokens: ReadonlySet<string>): ReadonlyArray<string> => {
  const hookSecrets = telegram
    .calls({ method: "setWebhook" })
    .flatMap(({ parameters }) => (typeof parameters["secret_token"] === "string" ? [parameters["secret_token"]] : []))
  return [...tokens, ...[...tokens].map((token) => token.split(":")[1] ?? ""), ...hookSecrets]
}

const startGround = async (mode: "webhook" | "polling") => {
  const database = await createTestDatabase()
  await copyJobs(database)
  const telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  const manager = telegram.createBot({ username: "maker_bot", can_manage_bots: true })
  const model = await start()
  const troupe = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    TELEGRAM_API_ROOT: telegram.url,
    TELEGRAM_MANAGER_TOKEN: manager.token,
    TELEGRAM_MODE: mode,
    OPENAI_BASE_URL: model.url,
    OPENAI_TRANSCRIBE_MODEL: "whisper-1"
  })
  const { appId, key } = await createAppIn(database.sql)
  return { database, telegram, manager, model, troupe, app: new RecordingApp(troupe.baseUrl, appId, key) }
}

/** As much of a bot's life as fits into one run, with everything that can go wrong. */
const live = async (
  { telegram, manager, model, app, troupe }: Awaited<ReturnType<typeof startGround>>,
  mode: string
) => {
  const tokens = new Set([manager.token])
  const character_slug = await app.createCharacter({ greeting: "Come in." })
  const attach = async (fields: object) =>
    app.post(
      "/v1/telegram/bots",
      { mode: "byo", character_slug, join_window_ms: 0, ...fields },
      { "idempotency-key": randomUUID() }
    )
  const bot = telegram.createBot()
  tokens.add(bot.token)
  const id: string = (await attach({ token: bot.token })).body.data.id
  assert.strictEqual((await attach({ token: bot.token })).status, 409)
  const deadToken = `987654321:${"D".repeat(35)}`
  assert.strictEqual((await attach({ token: tokens.add(deadToken) && deadToken })).status, 422)
  const malformed = `12345:${"E".repeat(19)} F`
  assert.strictEqual((await attach({ token: tokens.add(malformed) && malformed })).status, 422)
  assert.strictEqual((await attach({ token: deadToken, nonsense: 1, join_window_ms: -1 })).status, 422)

  const said = (of: typeof bot, person: ReturnType<FakeTelegram["createUser"]>) =>
    telegram.transcript(of, person).filter((message) => message.from?.id === of.id).length
  const anna = telegram.createUser({ first_name: "Anna" })
  telegram.start(anna, bot)
  await until("the greeting", () => said(bot, anna) >= 1)
  // Each way in which a call may end.
  for (const kind of ["drop_before", "drop_after", "html502"] as const) {
    telegram.fault({ bot, method: "sendMessage" }, { kind })
    telegram.say(anna, bot, `Hello ${kind}`)
    await until(`a call that meets with ${kind}`, () =>
      telegram.calls({ bot, method: "sendMessage" }).some(({ fault }) => fault === kind)
    )
  }
  telegram.fault(
    { bot, method: "sendMessage" },
    {
      kind: "error",
      code: 400,
      description: `Bad Request: what is https://api.telegram.org/bot${bot.token}/sendMessage?`
    }
  )
  const before = said(bot, anna)
  telegram.say(anna, bot, "Hello again")
  await until("the refusal", () =>
    telegram.calls({ bot, method: "sendMessage" }).some(({ fault }) => fault === "error")
  )
  telegram.say(anna, bot, "And now?")
  await until("an answer", () => said(bot, anna) > before)
  // A voice message is downloaded from an address that contains the token: one that exists, one that is gone, and one
  // behind a lost connection.
  telegram.sendMedia(anna, bot, "voice", { duration: 3 })
  await until("it to be heard", () => model.transcriber.requests.length === 1)
  telegram.forgetFile(telegram.sendMedia(anna, bot, "voice", { duration: 3 }), bot)
  telegram.fault({ bot, method: "getFile", after: 1 }, { kind: "drop_after" })
  telegram.sendMedia(anna, bot, "voice", { duration: 3 })
  await telegram.called({ bot, method: "getFile" }, 3)
  const [chat] = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats
  const deliveries = (await app.get(`/v1/sessions/${chat.session_id}/delivery`)).body.data.deliveries
  for (const delivery of deliveries) await app.get(`/v1/sessions/${chat.session_id}/delivery/${delivery.id}`)
  await app.post(`/v1/telegram/bots/${id}/links`, { external_user_ref: "anna" })

  if (mode === "webhook") {
    await app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})
    for (const secret of ["", "wrong", bot.token]) {
      const { status } = await fetch(`${troupe.baseUrl}/v1/telegram/hooks/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
        body: "{}"
      })
      assert.strictEqual(status, 401)
    }
  }
  // A path that contains a token is a caller's mistake, and is not repeated in the response.
  assert.strictEqual((await fetch(`${troupe.baseUrl}/bot${bot.token}/getMe`)).status, 404)

  const old = bot.token
  tokens.add(telegram.revokeToken(bot))
  telegram.say(anna, bot, "Are you there?")
  const status = async () => (await app.get(`/v1/telegram/bots/${id}`)).body.data.status
  if (mode === "webhook") await app.post(`/v1/sessions/${chat.session_id}/messages`, { text: "Say something." })
  await until("the bot to be revoked", async () => (await status()) === "revoked")
  assert.strictEqual((await app.patch(`/v1/telegram/bots/${id}`, { token: old })).status, 422)
  assert.strictEqual((await app.patch(`/v1/telegram/bots/${id}`, { token: bot.token })).status, 200)
  await until("the bot to recover", async () => (await status()) === "active")

  const made = (
    await app.post("/v1/telegram/bots", { mode: "managed", character_slug, suggested_name: "Mara", join_window_ms: 0 })
  ).body.data
  const [, username = ""] = /newbot\/maker_bot\/(\w+)/.exec(made.link.url) ?? []
  const child = telegram.confirmNewBot(manager, telegram.createUser({ first_name: "Olga" }), { username, name: "Mara" })
  tokens.add(child.token)
  await until(
    "the managed bot",
    async () => (await app.get(`/v1/telegram/bots/${made.id}`)).body.data?.status === "active"
  )
  assert.strictEqual((await app.post(`/v1/telegram/bots/${made.id}/rotate-token`, {})).status, 200)
  tokens.add(child.token)

  await app.delete(`/v1/telegram/bots/${made.id}`)
  tokens.add(child.token)
  await app.get("/v1/telegram/bots")
  await app.get("/v1/delivery/events")
  await fetch(`${troupe.baseUrl}/openapi.json`)
  return tokens
}

const gather = async (
  database: TestDatabase,
  troupe: TroupeProcess,
  app: RecordingApp,
  telegram: FakeTelegram,
  bots: Iterable<string>
): Promise<ReadonlyArray<string>> => {
  const hooks = [...bots].flatMap(() =>
    telegram.calls({ method: "setWebhook" }).map(({ parameters }) => `url: ${parameters["url"]}`)
  )
  return [...`${troupe.stdout()}\n${troupe.stderr()}`.split("\n"), ...app.seen, ...hooks, ...(await allRows(database))]
}

describe.each(["webhook", "polling"] as const)("a run with Telegram by %s", (mode) => {
  it("no token and no secret appears in any log line, response, address, job or row", async () => {
    const harness = await startGround(mode)
    const { database, telegram, model, app, troupe } = harness
    try {
      const tokens = await live(harness, mode)
      // Without Telegram, failures are logged.
      await telegram.close()
      await app.post("/v1/telegram/bots", {
        mode: "byo",
        character_slug: await app.createCharacter(),
        token: [...tokens][1]
      })
      assert.strictEqual(await troupe.stop("SIGTERM"), 0)
      const texts = await gather(database, troupe, app, telegram, tokens)
      const found = secretsOf(telegram, tokens).flatMap((secret) =>
        formsOf(secret).flatMap((form) => texts.filter((text) => text.toLowerCase().includes(form.toLowerCase())))
      )
      assert.deepStrictEqual(found, [])
      // The search covered everything.
      assert.isTrue(texts.some((text) => text.startsWith("public.telegram_bots: ")))
      assert.isTrue(texts.some((text) => text.startsWith("public.telegram_updates: ")))
      assert.isTrue(texts.some((text) => text.startsWith("public.job_copies: ")))
      assert.isTrue(texts.some((text) => text.startsWith('{"time"')))
    } finally {
      await troupe.stop("SIGKILL")
      await telegram.close()
      await model.close()
      await database.drop()
    }
  })
})
