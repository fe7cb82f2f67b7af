import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

let server: TestServer
let telegram: FakeTelegram
let app: TestApp
let slug: string
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  server = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url } })
  app = await server.createApp()
  slug = await app.createCharacter()
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const at = (ref: string) => `/v1/end-users/${encodeURIComponent(ref)}`
const open = (external_user_ref: string, more: object = {}) =>
  app.createSession({ character_slug: slug, external_user_ref, ...more })
const refsOf = ({ body }: Answer) =>
  body.data.end_users.map((person: { external_user_ref: string }) => person.external_user_ref)

describe("an end-user", () => {
  it("exists from their first session on, with the profile given there", async () => {
    const from = Date.now()
    assert.deepStrictEqual(shape(await app.get(at("ada"))), [404, "end_user_not_found"])
    const session = await open("ada", {
      end_user: { display_name: "Ada", timezone: "Europe/Lisbon", locale: "pt-PT", age_band: "adult" }
    })
    await app.converse(session, "Hello")
    const { data } = (await app.get(at("ada"))).body
    assert.deepInclude(data, {
      external_user_ref: "ada",
      display_name: "Ada",
      timezone: "Europe/Lisbon",
      locale: "pt-PT",
      age_band: "adult",
      blocked: false,
      session_count: 1
    })
    assertSince(data.last_active_at, from)
    assert.deepStrictEqual(
      (await app.get(`${at("ada")}/sessions`)).body.data.sessions.map(({ id }: { id: string }) => id),
      [session]
    )
  })

  it("can have any reference, which is kept exactly", async () => {
    for (const ref of ["a/b?c#d%20", "Zoë 🦊", "CASE", "case", "...", "x".repeat(128), "🦊".repeat(128)]) {
      await open(ref)
      assert.strictEqual((await app.get(at(ref))).body.data?.external_user_ref, ref)
    }
    for (const ref of ["Case", "a\0b", "x".repeat(300)])
      assert.deepStrictEqual(shape(await app.get(at(ref))), [404, "end_user_not_found"])
  })

  it("is changed by JSON merge patch: null clears, missing fields stay", async () => {
    await open("grace", { end_user: { display_name: "Grace", locale: "en", age_band: "adult" } })
    const { data } = (
      await app.patch(at("grace"), { locale: null, age_band: null, timezone: "Asia/Tokyo", shoe_size: 38 })
    ).body
    assert.deepInclude(data, {
      display_name: "Grace",
      locale: null,
      age_band: "unknown",
      timezone: "Asia/Tokyo",
      ignored_fields: ["shoe_size"]
    })
    for (const wrong of [
      { timezone: "Mars/Base" },
      { locale: "??" },
      { age_band: "old" },
      { blocked: "yes" },
      { display_name: "" },
      []
    ]) {
      assert.deepStrictEqual(shape(await app.patch(at("grace"), wrong)), [422, "validation_error"])
    }
    assert.deepStrictEqual(shape(await app.patch(at("nobody"), { blocked: "yes" })), [404, "end_user_not_found"])
  })

  it(
    "who is blocked gets 409 end_user_blocked and nothing is written, but a known key is still answered, until " +
      "the block is removed",
    async () => {
      const session = await open("mallory")
      const key = { "idempotency-key": "before" }
      await app.send(session, "Hello", key)
      assert.isTrue((await app.patch(at("mallory"), { blocked: true })).body.data.blocked)
      const before = await app.events(session)
      assert.deepStrictEqual(shape(await app.send(session, "Hello?")), [409, "end_user_blocked"])
      assert.isTrue((await app.send(session, "Hello", key)).body.data.idempotent_replay)
      assert.deepStrictEqual(
        (await app.events(session)).filter(({ role }) => role === "user"),
        before.filter(({ role }) => role === "user")
      )
      assert.strictEqual((await app.patch(at("mallory"), { blocked: null })).status, 422)
      await app.patch(at("mallory"), { blocked: false })
      assert.strictEqual((await app.send(session, "Hello again")).status, 200)
    }
  )
})

describe("an end-user in Telegram", () => {
  it("who is blocked is ignored, and gets no answer", async () => {
    const bot = telegram.createBot()
    await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug: slug, join_window_ms: 0 })
    const person = telegram.createUser({ first_name: "Mallory" })
    const ref = `tg:${person.id}`
    telegram.say(person, bot, "Hello")
    const session = await until(
      "a session",
      async () =>
        (await app.get(`/v1/sessions?external_user_ref=${ref}`)).body.data.sessions[0]?.id as string | undefined
    )
    await app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    await app.patch(at(ref), { blocked: true })
    telegram.say(person, bot, "Do you hear me?")
    await until(
      "it to be looked at",
      async () =>
        (
          await server.database
            .sql`select 1 from telegram_updates where raw::text like '%Do you hear me%' and done_at is not null`
        ).length > 0
    )
    const events = await app.events(session)
    assert.deepStrictEqual(
      events.filter(({ role }) => role === "user").map(({ payload }) => payload["text"]),
      ["Hello"]
    )
    assert.isEmpty(events.filter(({ type }) => type === "channel.notice"))
  })
})

describe("an end-user in Telegram who deletes all their data", () => {
  it("keeps their usage for the caps", async () => {
    const bot = telegram.createBot()
    await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug: slug, join_window_ms: 0 })
    const person = telegram.createUser({ first_name: "Lethe" })
    const ref = `tg:${person.id}`
    const sessions = async () => (await app.get(`/v1/sessions?external_user_ref=${ref}`)).body.data.sessions
    telegram.say(person, bot, "Hello")
    const session = await until("a session", async () => (await sessions())[0]?.id as string | undefined)
    await app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    await app.patch(`${at(ref)}/caps`, { daily_messages: 1 })
    const used = async () => (await app.get(`${at(ref)}/caps`)).body.data.used
    const before = await used()
    assert.strictEqual(before.day_messages, 1)
    telegram.say(person, bot, "/forget")
    telegram.say(person, bot, "/forget")
    await until("all to be forgotten", async () => (await sessions()).length === 0)
    const { sql } = server.database
    await sql`select graphile_worker.add_job('recount',
      ${JSON.stringify({ app_id: app.appId })}::text::json, job_key := ${`recount:${app.appId}`})`
    await until(
      "it to be counted again",
      async () => (await sql`select 1 from graphile_worker.jobs where key = ${`recount:${app.appId}`}`).length === 0
    )
    assert.deepStrictEqual(await used(), before)
    assert.deepStrictEqual(shape(await app.send(await open(ref), "Hello again")), [402, "end_user_cap_exceeded"])
  })
})

describe("the list of end-users", () => {
  it("is ordered by reference, paged, and can be searched by reference, name and last activity", async () => {
    const own = await server.createApp()
    const character_slug = await own.createCharacter()
    const refs = ["ä/1", "b 2", "c".repeat(128), "d", "🦊".repeat(128)]
    for (const external_user_ref of refs)
      await own.createSession({
        character_slug,
        external_user_ref,
        end_user: { display_name: `Name of ${external_user_ref.slice(0, 2)}` }
      })
    const seen: Array<string> = []
    for (let cursor = ""; ;) {
      const answer = await own.get(`/v1/end-users?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      seen.push(...refsOf(answer))
      if (answer.body.data.next_cursor === null) break
      cursor = answer.body.data.next_cursor
    }
    assert.sameMembers(seen, refs)
    assert.deepStrictEqual(refsOf(await own.get("/v1/end-users?q=NAME%20OF%20D")), ["d"])
    assert.deepStrictEqual(refsOf(await own.get("/v1/end-users?q=2")), ["b 2"])
    const since = new Date().toISOString()
    assert.deepStrictEqual(refsOf(await own.get(`/v1/end-users?active_since=${since}`)), [])
    const [session] = (await own.get(`${at("d")}/sessions`)).body.data.sessions
    await own.send(session.id, "Hello")
    assert.deepStrictEqual(refsOf(await own.get(`/v1/end-users?active_since=${since}`)), ["d"])
    assert.deepStrictEqual(shape(await own.get("/v1/end-users?cursor=zz")), [422, "validation_error"])
    assert.deepStrictEqual(refsOf(await app.get("/v1/end-users?q=b%202")), [])
  })
})

describe("the usage of an end-user", () => {
  it("is counted, and limited by caps that the app can set", async () => {
    const session = await open("karl")
    assert.deepInclude(
      (await app.patch(`${at("karl")}/caps`, { daily_messages: 2, daily_cost_usd: 0.5 })).body.data.effective,
      { daily_messages: 2, daily_cost_usd: 0.5 }
    )
    await app.converse(session, "Hello")
    const { data } = (await app.get(`${at("karl")}/usage?group_by=day`)).body
    assert.deepInclude(data, { messages: 1, proactive: 0, images: 0 })
    assert.deepStrictEqual(data.caps, {
      daily_messages: 2,
      daily_cost_usd: 0.5,
      monthly_cost_usd: null,
      daily_images: null
    })
    assert.deepInclude(data.remaining, { daily_messages: 1, monthly_cost_usd: null, daily_images: null })
    assert.approximately(data.remaining.daily_cost_usd, 0.5 - data.cost_usd, 1e-9)
    assert.lengthOf(data.groups, 1)
    assert.isAbove(Date.parse(data.resets_at.day), Date.now())
    await app.converse(session, "Hello again")
    assert.deepStrictEqual(shape(await app.send(session, "And again")), [402, "end_user_cap_exceeded"])
    assert.deepInclude((await app.get(`${at("karl")}/caps`)).body.data.used, { day_messages: 2 })
  })
})

const completed = (erasure: string) =>
  until("the erasure to be completed", async () => {
    const { data } = (await app.get(`/v1/erasures/${erasure}`)).body
    return data.status === "completed" && data
  })

describe("erasing an end-user", () => {
  it("leaves nothing of them anywhere except a receipt and the ledger", async () => {
    const ref = "erased-person-7"
    const bot = telegram.createBot()
    const bot_id = (await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug: slug })).body
      .data.id
    await open(ref, { metadata: { note: `about ${ref}` }, end_user: { display_name: "Secretive Name" } })
    const created = await app.post(
      "/v1/sessions",
      { character_slug: slug, external_user_ref: ref },
      { "idempotency-key": "once" }
    )
    await app.converse(created.body.data.id, "My secret is an orange cat")
    const { url } = (await app.post(`/v1/telegram/bots/${bot_id}/links`, { external_user_ref: ref })).body.data
    const person = telegram.createUser({ first_name: "Secretive" })
    telegram.start(person, bot, url.split("start=")[1])
    await until("the chat to belong to them", async () =>
      (await app.get(`/v1/telegram/bots/${bot_id}/chats`)).body.data.chats.some(
        (chat: { external_user_ref: string }) => chat.external_user_ref === ref
      )
    )
    telegram.say(person, bot, "It is an orange cat")
    await until("it to be heard", async () =>
      JSON.stringify(await server.database.sql`select raw from telegram_updates where done_at is not null`).includes(
        "orange cat"
      )
    )
    for (let n = 0; n < 22; n++) await open(ref)
    await app.patch(`${at(ref)}/caps`, { daily_messages: 500 })

    const receipt = await app.delete(at(ref))
    assert.strictEqual(receipt.status, 200)
    assert.match(receipt.body.data.erasure_id, /^ers_/)
    assert.deepInclude(await completed(receipt.body.data.erasure_id), { erasure_id: receipt.body.data.erasure_id })
    assert.deepStrictEqual(shape(await app.get(at(ref))), [404, "end_user_not_found"])
    assert.deepStrictEqual(shape(await app.delete(at(ref))), [404, "end_user_not_found"])
    assert.deepStrictEqual(shape(await app.get(`/v1/sessions/${created.body.data.id}/events`)), [
      404,
      "session_not_found"
    ])
    const { sql } = server.database
    const tables = await sql<
      Array<{ name: string }>
    >`select table_name as name from information_schema.tables where table_schema = 'public'
      and table_name <> 'audit_log'`
    for (const { name } of tables) {
      const found =
        await sql`select t::text as row from ${sql(name)} t where t::text ~* ${`${ref}|orange cat|Secretive`}`
      assert.deepStrictEqual([...found], [], name)
    }
    assert.isNotEmpty(await sql`select 1 from ledger where session_id = ${created.body.data.id}`)
  })

  it("is one erasure however often it is requested, and continues where it stopped", async () => {
    const sessions = await Promise.all(Array.from({ length: 25 }, () => open("frieda")))
    const { sql } = server.database
    // Locks one of the last sessions, so that a run stops at that point.
    await sql`create table holds (app_id text, session_id text, foreign key (app_id,
      session_id) references sessions (app_id, session_id))`
    await sql`insert into holds values (${app.appId}, ${sessions.toSorted().at(-1) ?? ""})`
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.delete(at("frieda"))))
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.data.erasure_id))
    assert.strictEqual(ids.size, 1)
    const [id = ""] = ids
    await until(
      "twenty to be gone",
      async () => (await sql`select 1 from sessions where external_user_ref = 'frieda'`).length === 5
    )
    assert.strictEqual((await app.get(`/v1/erasures/${id}`)).body.data.status, "running")
    await sql`delete from holds`
    await sql`select graphile_worker.add_job('erasures', '{}'::json)`
    await completed(id)
    assert.isEmpty(await sql`select 1 from sessions where external_user_ref = 'frieda'`)
  })

  it("releases the reservations of turns in progress", async () => {
    const own = await server.createApp({ budgetUsd: 1 })
    const session = await own.createSession({ external_user_ref: "busy" })
    for (let n = 0; n < 5; n++) await own.send(session, "Hello")
    const { erasure_id } = (await own.delete(at("busy"))).body.data
    await until(
      "the erasure to be completed",
      async () => (await own.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    const books = await until("the ledger to be settled", async () => {
      const [sums] = await server.database.sql`
        select coalesce(sum(amount_micro_usd) filter (where entry <> 'settle'), 0)::int as held,
          coalesce(sum(amount_micro_usd) filter (where entry = 'settle'), 0)::int as spent from ledger
          where app_id = ${own.appId}`
      return sums?.["held"] === 0 && sums
    })
    const [row] = await server.database
      .sql`select month_used_micro_usd::int as used from allowances where app_id = ${own.appId} and kind = 'app'`
    assert.strictEqual(row?.["used"], books["spent"])
  })

  it("lets them start over", async () => {
    await open("phoenix", { end_user: { display_name: "Old" } })
    await completed((await app.delete(at("phoenix"))).body.data.erasure_id)
    const session = await open("phoenix")
    assert.deepInclude((await app.get(at("phoenix"))).body.data, { display_name: null, session_count: 1 })
    assert.strictEqual((await app.converse(session, "Hello")).type, "message.created")
  })

  it("has receipts that only the app can see", async () => {
    await open("own")
    const { erasure_id } = (await app.delete(at("own"))).body.data
    const other = await server.createApp()
    for (const id of [erasure_id, "ers_none", "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
      assert.deepStrictEqual(shape(await other.get(`/v1/erasures/${id}`)), [404, "erasure_not_found"])
  })
})
