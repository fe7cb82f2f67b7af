import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let slug: string
let session: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  slug = await app.createCharacter()
  session = await app.createSession({ character_slug: slug })
  await app.converse(session, "What is for dinner?")
})
afterAll(() => server.close())

/** A successful response of every route that uses the envelope. */
const successes: Record<string, () => Promise<Answer>> = {
  "GET /v1/me": () => app.get("/v1/me"),
  "PATCH /v1/apps/{app_id}": () => app.patch(`/v1/apps/${app.appId}`, { name: "renamed" }),
  "POST /v1/characters": () => app.post("/v1/characters", { slug: `c-${Date.now()}`, display_name: 'O\'Hara "$HOME"' }),
  "GET /v1/characters": () => app.get("/v1/characters"),
  "GET /v1/characters/{slug}": () => app.get(`/v1/characters/${slug}`),
  "PATCH /v1/characters/{slug}": () => app.patch(`/v1/characters/${slug}`, { visible_bio: "Keeps an inn." }),
  "DELETE /v1/characters/{slug}": async () => app.delete(`/v1/characters/${await app.createCharacter()}`),
  "POST /v1/sessions": () => app.post("/v1/sessions", { character_slug: slug, external_user_ref: "it's me" }),
  "GET /v1/sessions": () => app.get("/v1/sessions"),
  "GET /v1/sessions/{id}": () => app.get(`/v1/sessions/${session}`),
  "GET /v1/sessions/{id}/state": () => app.get(`/v1/sessions/${session}/state`),
  "POST /v1/sessions/{id}/messages": () => app.send(session, "Rain again?"),
  "GET /v1/sessions/{id}/events": () => app.get(`/v1/sessions/${session}/events?limit=1`),
  "GET /v1/sessions/{id}/trace": () => app.get(`/v1/sessions/${session}/trace`)
}

const run = async (command: string) => {
  const { stdout } = await promisify(execFile)("bash", ["-c", `${command} -w '\\n%{http_code}'`], {
    env: { PATH: process.env["PATH"] ?? "", TROUPE_KEY: app.key }
  })
  const cut = stdout.lastIndexOf("\n")
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) }
}

describe.each(Object.entries(successes))("the success response of %s", (_, succeed) => {
  it("is an object with schema_version, data and next_actions", async () => {
    const { status, headers, body } = await succeed()
    assert.strictEqual(status, 200)
    assert.match(headers.get("content-type") ?? "", /^application\/json/)
    assert.hasAllKeys(body, ["schema_version", "data", "next_actions"])
    assert.isString(body.schema_version)
    assert.isObject(body.data)
    assert.isArray(body.next_actions)
    for (const action of body.next_actions) assert.hasAllKeys(action, ["command", "description"])
  })

  it("suggests commands that can be run in a shell unchanged", async () => {
    const { body } = await succeed()
    for (const { command } of body.next_actions) {
      const { status, body } = await run(command)
      assert.strictEqual(status, 200, command)
      assert.property(body, "data", command)
    }
  })
})

describe("next_actions", () => {
  it("contains the poll from the returned cursor and the trace of the turn after a send", async () => {
    const { body } = await app.send(session, "What is for dinner?")
    const commands: ReadonlyArray<string> = body.next_actions.map((action: { command: string }) => action.command)
    assert.isTrue(
      commands.some((command) => command.includes(`/v1/sessions/${session}/events?since=${body.data.cursor}`))
    )
    assert.isTrue(
      commands.some(
        (command) => command.includes(`/v1/sessions/${session}/trace`) && command.includes(body.data.run_ref)
      )
    )
  })

  it("leads from a new character to its reply if each first command is run", async () => {
    const lines = { example_dialogues: [{ user: "Hello!", character: "Come in." }] }
    const created = await app.post("/v1/characters", { slug: "walk", display_name: "Walk", ...lines })
    const opened = await run(created.body.next_actions[0].command)
    const sent = await run(opened.body.next_actions[0].command)
    await app.waitFor(opened.body.data.id, (event) => event.type === "message.created" && event.role === "character")
    const read = await run(sent.body.next_actions[0].command)
    assert.deepStrictEqual(read.body.data.events.at(-1).payload.bubbles, ["Come in."])
  })

  it("suggests waiting for the next events after a page of events", async () => {
    const quiet = await app.createSession({ character_slug: slug })
    const { body } = await app.get(`/v1/sessions/${quiet}/events`)
    const next = run(body.next_actions[0].command)
    const { body: sent } = await app.send(quiet, "Hello")
    assert.strictEqual((await next).body.data.events[0].cursor, sent.data.cursor)
  })
})
