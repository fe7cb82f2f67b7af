import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { type Behaviour, type FakeModel, start } from "#test/support/FakeModel.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { runTroupe, startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let model: FakeModel
let processes: Array<TroupeProcess>
let app: TestApp
beforeEach(async () => {
  database = await createTestDatabase()
  // All different, because a character that repeats itself is refused.
  model = await start({ otherwise: (_, n) => ({ kind: "ok", bubbles: [`Soup number ${n}, with barley.`] }) })
  processes = []
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp((await serve("api")).baseUrl, appId, key)
})
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop("SIGKILL")))
  await model.close()
  await database.drop()
})

const serve = async (roles: "api" | "worker") => {
  const process = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    ROLES: roles,
    OPENAI_BASE_URL: model.url,
    OPENAI_TIMEOUT_SECONDS: "120"
  })
  processes.push(process)
  return process
}

const SISTER = "My sister Nadia plays the cello."
const PRAISE = "You are wonderful!"
const DOG = "My dog is called Rex."
const noted = (quote: string): Behaviour => ({
  kind: "ok",
  fields: {
    memories: [
      {
        kind: "fact",
        subject: "user",
        text: quote,
        importance: 5,
        confidence: 0.9,
        quote,
        happened_on: null,
        linked_ids: []
      }
    ],
    signals: [{ dimension: "warmth", direction: "up", strength: 2, quote }]
  }
})
/** From 0.3, this many steps of that strength. */
const warmthAfter = (steps: number) =>
  Array.from({ length: steps }).reduce<number>(
    (value) => Math.round((value + 0.02 * (1 - value)) * 10_000) / 10_000,
    0.3
  )

const patches = (session: string) =>
  database.sql<
    Array<{ turn_index: number }>
  >`select turn_index from relational_patches where session_id = ${session} order by version`
const whenRead = (session: string, turns: number) =>
  until("memory extraction of every turn", async () => {
    const { trace } = (await app.get(`/v1/sessions/${session}/trace`)).body.data
    return trace.length === turns && trace.every(({ settled }: { settled: boolean }) => settled) ? trace : undefined
  })

/** The state contains each message once, and is what the patches produce. */
const standsOnce = async (session: string, quotes: ReadonlyArray<string>) => {
  assert.deepStrictEqual(
    (await patches(session)).map(({ turn_index }) => turn_index),
    quotes.map((_, i) => i + 1)
  )
  const memories =
    await database.sql`select text, confidence from memories where session_id = ${session} order by created_at`
  assert.deepStrictEqual(
    memories.map(({ text, confidence }) => [text, confidence]),
    quotes.map((quote) => [quote, 0.9])
  )
  const [row] = await database.sql`select bearing, read_turn from relationships where session_id = ${session}`
  assert.strictEqual(row?.["read_turn"], quotes.length)
  assert.strictEqual(
    row?.["bearing"].scores.find(({ key }: { key: string }) => key === "warmth").value,
    warmthAfter(quotes.length)
  )
  const rebuilt = await runTroupe({ DATABASE_URL: database.url }, ["rebuild", session])
  assert.deepInclude(JSON.parse(rebuilt.stdout), { patches: quotes.length, memories: quotes.length, changed: false })
  const books = await runTroupe({ DATABASE_URL: database.url }, ["ledger", "check"])
  assert.deepInclude(JSON.parse(books.stdout), { mismatches: [] })
}

describe("a memory update whose process dies", () => {
  it("during the model call is done once by another process", async () => {
    const victim = await serve("worker")
    model.scriptFor("extraction", { kind: "stall" }, noted(SISTER))
    const session = await app.createSession()
    await app.converse(session, SISTER)
    await until("the first memory extraction", () => model.extractions.length === 1)
    await serve("worker")
    await victim.stop("SIGKILL")

    await whenRead(session, 1)
    assert.lengthOf(model.extractions, 2)
    await standsOnce(session, [SISTER])
  })

  it("right after it was written is not repeated", async () => {
    const victim = await serve("worker")
    model.scriptFor("extraction", noted(SISTER), { kind: "stall" }, noted(PRAISE), noted(DOG))
    const session = await app.createSession()
    for (const text of [SISTER, PRAISE, DOG]) await app.send(session, text)
    // The job that wrote the first has started the second, and completes both.
    await until("the first to be written", async () => (await patches(session)).length === 1)
    await until("the second memory extraction", () => model.extractions.length === 2)
    await serve("worker")
    await victim.stop("SIGKILL")

    await whenRead(session, 3)
    assert.lengthOf(model.extractions, 4)
    await standsOnce(session, [SISTER, PRAISE, DOG])
  })
})
