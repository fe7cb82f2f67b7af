import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { examples } from "#test/support/sources/docs.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const example = (marker: string): string => {
  const found = examples.find((block) => block.marker === marker)
  if (found === undefined) throw new Error(`no example ${marker}`)
  return found.text
}

/** Runs an example, which never ends by itself, until it has handled this many events. */
const run = async (marker: string, count: number, stored: Record<string, string> = {}) => {
  const handled: Array<LogEvent> = []
  const enough = new Error("enough")
  const handle = (event: LogEvent) => {
    if (handled.length === count) throw enough
    handled.push(event)
  }
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  const names = ["process", "handle", "loadCursor", "saveCursor"]
  const work = new AsyncFunction(...names, example(marker))
  const env = { TROUPE_KEY: app.key, TROUPE_URL: app.baseUrl }
  const save = (cursor: string) => {
    stored["cursor"] = cursor
    if (handled.length === count) throw enough
  }
  await (work({ env }, handle, () => stored["cursor"] ?? "0", save) as Promise<void>).catch((error: unknown) => {
    if (error !== enough) throw error
  })
  return handled
}

describe("the examples of the feed", () => {
  it("follow the feed, and go on from the stored cursor", async () => {
    const session = await app.createSession()
    await app.converse(session, "Hello")
    const stored = {}
    assert.deepStrictEqual(await run("feed", 3, stored), await app.events(session))
    const reply = await app.converse(session, "Again")
    const more = await run("feed", 3, stored)
    assert.deepStrictEqual(more.at(-1), reply)
    assert.deepStrictEqual(more, await app.events(session, 3))
  })

  it("handle events as a process of a consumer", async () => {
    await app.request("PUT", "/v1/consumers/crm", { from: "now" })
    const session = await app.createSession()
    const consuming = run("consumer", 3)
    await app.converse(session, "Hello")
    await app.converse(session, "Again")
    assert.deepStrictEqual(await consuming, (await app.events(session)).slice(0, 3))
  })
})
