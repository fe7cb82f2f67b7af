import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { pictureOf } from "#test/support/files/images.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let server: TestServer
let operator: TestApp
let receiver: Receiver
beforeAll(async () => {
  model = await start()
  receiver = await startReceiver((response) => response.writeHead(200).end())
  server = await startTestServer({ env: { OPENAI_BASE_URL: model.url, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = await createOperatorIn(server, "operator")
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  await model.close()
})

const act = async (app: TestApp, action: "suspend" | "resume", body?: object) => {
  const answer = await operator.post(`/admin/apps/${app.appId}/${action}`, body)
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data
}
const refusal = ({ status, body }: { status: number; body: any }) => [status, body.detail?.code]

describe("an app that an operator suspends", () => {
  it("is refused within a second, on streams and long polls too, and is served again when it is resumed", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const [stream] = (await once(
      get(`${app.baseUrl}/v1/sessions/${session}/events/stream?since=0`, {
        headers: { authorization: `Bearer ${app.key}` }
      }),
      "response"
    )) as [IncomingMessage]
    stream.resume()
    const ended = once(stream, "end")
    const waiting = app.get(`/v1/sessions/${session}/events?since=0&wait=30`)
    assert.deepInclude(await act(app, "suspend", { reason: "Spam" }), {
      status: "suspended",
      suspended_reason: "Spam"
    })
    await ended
    assert.deepStrictEqual(refusal(await waiting), [403, "app_suspended"])
    assert.deepStrictEqual(refusal(await app.get("/v1/me")), [403, "app_suspended"])
    assert.deepInclude(await act(app, "resume"), { status: "active", suspended_at: null })
    assert.strictEqual((await app.get("/v1/me")).status, 200)
    const entries = await server.database.sql`
      select action, actor, detail from audit_log
      where app_id = ${app.appId} and action in ('app.suspended', 'app.resumed') order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ action }) => action),
      ["app.suspended", "app.resumed"]
    )
    assert.match(entries[0]?.["actor"], /^op_/)
    assert.deepInclude(entries[0]?.["detail"], { reason: "Spam" })
  })

  it("has its waiting turns kept and answered in order afterwards, while the one in flight ends", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const hook = new URL(`/${app.appId}`, receiver.url).href
    await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: hook, from: "start" })
    const answer = Promise.withResolvers<void>()
    model.script({ kind: "ok", bubbles: ["The first."], after: answer.promise })
    await app.send(session, "One?")
    await until("the request for the reply", () => model.requests.some(({ question }) => question === "reply"))
    await app.send(session, "Two?")
    await app.send(session, "Three?")
    await act(app, "suspend")
    answer.resolve()
    const { sql } = server.database
    const settled = async () =>
      (await sql`select 1 from turns where session_id = ${session} and outcome = 'replied'`).length
    await until("the turn in flight to end", async () => (await settled()) === 1)
    const other = await server.createApp()
    await other.converse(await other.createSession(), "Is anybody there?")
    // The sweep would have found the waiting turn by now: it starts turns that are two seconds late.
    await sql`update turns set due_at = due_at - interval '1 minute' where session_id = ${session} and outcome is null`
    await other.converse(await other.createSession(), "And now?")
    assert.strictEqual(await settled(), 1)
    await act(app, "resume")
    await until(
      "the others",
      async () =>
        (await settled()) >= 2 &&
        (
          await sql`
      select 1 from turns where session_id = ${session} and outcome is null`
        ).length === 0
    )
    const events = await app.events(session)
    await until(
      "every event at the webhook",
      () => receiver.requests.filter(({ path }) => path === `/${app.appId}`).length >= events.length
    )
    assert.deepStrictEqual(
      receiver.requests
        .filter(({ path }) => path === `/${app.appId}`)
        .map(({ headers }) => Number(headers["x-service-cursor"])),
      events.map(({ cursor }) => cursor)
    )
    assert.deepStrictEqual(
      (await sql`select 1 from delivery_attempts where session_id = ${session} and outcome <> 'sent'`).length,
      0
    )
  })

  it("has its pictures wait", async () => {
    const app = await server.createApp()
    const slug = await app.createCharacter()
    await server.database.sql`insert into telegram_holds (scope, kind) values (${app.appId}, 'app')`
    await server.database.sql`
      insert into images (app_id, image_id, run_ref, character_slug, kind, prompt, size, deliver, status)
      select ${app.appId}, 'img_waiting', 'run_waiting', ${slug}, 'scene', 'The harbour.', '1024x1024', false, 'queued'`
    const other = await server.createApp()
    const { image_request_id: id } = (
      await other.post("/v1/images", {
        character_slug: await other.createCharacter(),
        kind: "scene",
        prompt: "A lamp."
      })
    ).body.data
    await until("a later picture of another app", async () =>
      ["ready", "failed"].includes((await other.get(`/v1/images/${id}`)).body.data.status)
    )
    const status = async () =>
      (await server.database.sql`select status from images where image_id = 'img_waiting'`)[0]?.["status"]
    assert.strictEqual(await status(), "queued")
    await act(app, "resume")
    await until("the picture", async () => ["ready", "failed"].includes(await status()))
  })

  it("has its pictures shown to nobody until it is resumed, while those of others are", async () => {
    const addresses = async (app: TestApp) => {
      const slug = await app.createCharacter()
      const content_base64 = (await pictureOf("png")).toString("base64")
      const asset = await app.post(`/v1/characters/${slug}/assets`, { kind: "avatar", content_base64 })
      assert.strictEqual(asset.status, 200, JSON.stringify(asset.body))
      const asked = await app.post("/v1/images", { character_slug: slug, kind: "scene", prompt: "A lamp." })
      const image = await until("the picture to be made", async () => {
        const { data } = (await app.get(`/v1/images/${asked.body.data.image_request_id}`)).body
        return data.finished_at !== null && data
      })
      assert.strictEqual(image.status, "ready", JSON.stringify(image))
      return [asset.body.data.content_url as string, image.image_url as string] as const
    }
    const codes = (urls: ReadonlyArray<string>) =>
      Promise.all(
        urls.map(async (url) => {
          const answer = await fetch(url)
          return answer.ok ? "shown" : ((await answer.json()) as any).detail.code
        })
      )
    const [app, other] = [await server.createApp(), await server.createApp()]
    const [own, foreign] = [await addresses(app), await addresses(other)]
    assert.deepStrictEqual(await codes([...own, ...foreign]), ["shown", "shown", "shown", "shown"])
    await act(app, "suspend")
    assert.deepStrictEqual(await codes([...own, ...foreign]), ["asset_not_found", "image_not_found", "shown", "shown"])
    await act(app, "resume")
    assert.deepStrictEqual(await codes(own), ["shown", "shown"])
  })
})
