import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

interface Item {
  readonly at: string
  readonly kind: string
  readonly ref: string
  readonly title: string
  readonly detail: Record<string, unknown>
}

let server: TestServer
let app: TestApp
let session: string
let reply: string
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Hello." }) })
  await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: "http://127.0.0.1:1/hook", from: "start" })
  for (const text of [
    "I have a chemistry exam tomorrow.",
    "My sister Nadia plays the cello. Thank you!",
    "I want to kill myself."
  ]) {
    const { trace_id } = await app.converse(session, text)
    reply = trace_id
    await until("memory extraction", async () =>
      (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled ? true : undefined
    )
  }
  await server.database.sql`
    insert into proactive_decisions (app_id, session_id, decision_id, reason, decision, skipped_by)
      values (${app.appId}, ${session}, ${newId("dec")}, 'cold_initiate', 'skipped', 'quiet_hours')`
  await until("a delivery", async () =>
    (await page("?limit=100")).items.some(({ kind }) => kind === "delivery") ? true : undefined
  )
  await server.database.sql`update channels set status = 'paused'`
})
afterAll(() => server.close())

const page = async (
  query: string
): Promise<{ readonly items: ReadonlyArray<Item>; readonly next_before: string | null }> =>
  (await app.get(`/v1/sessions/${session}/timeline${query}`)).body.data

describe("the timeline of a session", () => {
  it("lists everything that has happened in it, the newest first", async () => {
    const { items } = await page("?limit=100")
    assert.deepStrictEqual(
      items.map(({ at }) => at),
      items
        .map(({ at }) => at)
        .toSorted()
        .toReversed()
    )
    assert.sameMembers(
      [...new Set(items.map(({ kind }) => kind))],
      ["event", "run", "memory", "loop", "emotion", "proactive_decision", "delivery", "safety"]
    )
    const one = (kind: string, title: string) => items.find((item) => item.kind === kind && item.title === title)
    assert.deepInclude(one("run", "replied"), { ref: reply })
    assert.deepInclude(one("memory", "relationship")?.detail ?? {}, {
      text: "My sister Nadia plays the cello.",
      status: "active"
    })
    assert.deepInclude(one("loop", "event_followup")?.detail ?? {}, { text: "I have a chemistry exam tomorrow." })
    assert.isDefined(one("event", "character.initiated"))
    assert.isDefined(one("emotion", "gratitude"))
    assert.deepInclude(one("proactive_decision", "skipped")?.detail ?? {}, {
      reason: "cold_initiate",
      skipped_by: "quiet_hours"
    })
    assert.isTrue(items.some(({ kind, title }) => kind === "safety" && title.startsWith("crisis")))
  })

  it("is paged in any size, each item once, even if many have the same time", async () => {
    await server.database.sql`
        update events set created_at = date_trunc('second', now()) - interval '1 minute' where session_id = ${session}`
    await server.database.sql`
        update turns set settled_at = date_trunc('second', now()) - interval '1 minute' where session_id = ${session}`
    const { items } = await page("?limit=100")
    for (const size of [1, 4, 7]) {
      const seen: Array<Item> = []
      for (let before: string | null = ""; before !== null;) {
        const { items, next_before }: Awaited<ReturnType<typeof page>> = await page(
          `?limit=${size}${before === "" ? "" : `&before=${before}`}`
        )
        assert.isAtMost(items.length, size)
        seen.push(...items)
        before = next_before
      }
      assert.deepStrictEqual(seen, items)
    }
  })

  it("is read backwards from a given time", async () => {
    const { items } = await page("?limit=100")
    const middle = items[Math.floor(items.length / 2)]?.at ?? ""
    assert.deepStrictEqual(
      (await page(`?limit=100&before=${middle}`)).items,
      items.filter(({ at }) => at < middle)
    )
  })

  it("refuses invalid parameters", async () => {
    for (const before of ["yesterday", "bm9wZQ", Buffer.from("12-x y").toString("base64url")]) {
      assert.strictEqual((await app.get(`/v1/sessions/${session}/timeline?before=${before}`)).status, 422)
    }
  })
})
