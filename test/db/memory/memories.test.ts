import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import type { Memory } from "#pipeline/relational/Relationship.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Memories, type MemorySearch } from "#src/db/memory/Memories.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
let appId: string
const openRuntime = (url: string) =>
  ManagedRuntime.make(
    Layer.merge(Memories.layer, Relationships.layer).pipe(
      Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 }))
    )
  )
let runtime: ReturnType<typeof openRuntime>
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  runtime = openRuntime(database.url)
  appId = await engine.createApp()
})
afterAll(async () => {
  await runtime.dispose()
  await engine.close()
  await database.drop()
})

const memory = (text: string, given: Partial<Memory> = {}): Memory => ({
  id: newId("mem"),
  kind: "fact",
  subject: "user",
  about: null,
  text,
  importance: 5,
  confidence: 0.9,
  pinned: false,
  status: "active",
  valid_at: "2026-01-01T00:00:00.000Z",
  invalid_at: null,
  supersedes_id: null,
  linked_ids: [],
  evidence: [],
  source: "extracted",
  tombstone: null,
  recall_count: 0,
  last_recalled_at: null,
  created_at: "2026-01-01T00:00:00.000Z",
  ...given
})
const sessionWith = async (memories: ReadonlyArray<Memory>) => {
  const sessionId = await engine.createSession(appId)
  await runtime.runPromise(
    Relationships.use((relationships) =>
      relationships.amend({ appId, sessionId }, () =>
        Effect.succeed({ at: new Date(), patch: { ...EMPTY_PATCH, memories } })
      )
    )
  )
  return sessionId
}
const find = (sessionId: string, text: string, given: Partial<MemorySearch> = {}) =>
  runtime.runPromise(
    Memories.use((memories) =>
      memories.search(
        { appId, sessionId },
        { terms: recallQuery(text, []), languages: null, asOf: null, pinned: false, limit: 20, ...given }
      )
    )
  )
const texts = async (...args: Parameters<typeof find>) => (await find(...args)).map(({ text }) => text)

describe("a memory search", () => {
  it("finds memories by other forms of their words, and nothing else", async () => {
    const session = await sessionWith([
      memory("Her sister plays the cello in orchestras."),
      memory("She adopted two puppies.")
    ])
    assert.deepStrictEqual(await texts(session, "who was playing in an orchestra?"), [
      "Her sister plays the cello in orchestras."
    ])
    assert.deepStrictEqual(await texts(session, "zebra"), [])
    assert.deepStrictEqual(await texts(session, "the and of"), [])
  })

  it("stems words in the languages of the session", async () => {
    const session = await sessionWith([])
    await database.sql`update end_users set locale = 'de' where app_id = ${appId}`
    await runtime.runPromise(
      Relationships.use((relationships) =>
        relationships.amend({ appId, sessionId: session }, () =>
          Effect.succeed({ at: new Date(), patch: { ...EMPTY_PATCH, memories: [memory("Sie hat zwei Katzen.")] } })
        )
      )
    )
    assert.deepStrictEqual(await texts(session, "die Katze"), ["Sie hat zwei Katzen."])
    assert.deepStrictEqual(await texts(session, "die Katze", { languages: ["de"] }), ["Sie hat zwei Katzen."])
    await database.sql`update end_users set locale = null where app_id = ${appId}`
  })

  it("skips memories that are quarantined, forgotten or no longer valid", async () => {
    const session = await sessionWith([
      memory("The cello is red.", { status: "quarantined" }),
      memory("", { status: "forgotten", tombstone: "x" }),
      memory("The cello is old.", { status: "superseded", invalid_at: "2026-02-01T00:00:00.000Z" })
    ])
    assert.deepStrictEqual(await texts(session, "cello"), [])
  })

  it("finds what was valid at a given time, superseded since or not, and nothing later", async () => {
    const session = await sessionWith([
      memory("The cello is in Bergen.", { status: "superseded", invalid_at: "2026-02-01T00:00:00.000Z" }),
      memory("The cello is in Oslo.", { valid_at: "2026-02-01T00:00:00.000Z" })
    ])
    assert.deepStrictEqual(await texts(session, "cello", { asOf: new Date("2026-01-15T00:00:00Z") }), [
      "The cello is in Bergen."
    ])
    assert.deepStrictEqual(await texts(session, "cello", { asOf: new Date("2026-02-15T00:00:00Z") }), [
      "The cello is in Oslo."
    ])
    assert.deepStrictEqual(await texts(session, "cello", { asOf: new Date("2025-12-15T00:00:00Z") }), [])
    assert.deepStrictEqual(await texts(session, "cello"), ["The cello is in Oslo."])
  })

  it("returns pinned memories if requested", async () => {
    const session = await sessionWith([
      memory("The cello is old."),
      memory("She is allergic to nuts.", { pinned: true })
    ])
    assert.deepStrictEqual(await texts(session, "cello"), ["The cello is old."])
    assert.deepStrictEqual(await texts(session, "cello", { pinned: true }), [
      "The cello is old.",
      "She is allergic to nuts."
    ])
  })

  it("stays within its session and its app", async () => {
    const session = await sessionWith([memory("The cello is old.")])
    assert.deepStrictEqual(await texts(await sessionWith([]), "cello"), [])
    assert.deepStrictEqual(
      await runtime.runPromise(
        Memories.use((memories) =>
          memories.search(
            { appId: "app_other", sessionId: session },
            { terms: [{ term: "cello", weight: 1 }], languages: ["en"], asOf: null, pinned: true, limit: 20 }
          )
        )
      ),
      []
    )
  })
})
