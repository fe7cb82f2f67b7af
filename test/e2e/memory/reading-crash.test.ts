import { once } from "node:events"
import { resolve } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { type Behaviour, type FakeModel, start } from "#test/support/FakeModel.ts"
import { ABORT_MARK } from "#test/support/poisonedSource.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const POISON = resolve(import.meta.dirname, "../../support/poison.ts")

const ABORT = `This is an ${ABORT_MARK}.`
const SISTER = "My sister Nadia plays the cello."
const DOG = "My dog is called Rex."
const QUOTES = [ABORT, SISTER, DOG]

let database: TestDatabase
let model: FakeModel
let processes: Array<TroupeProcess>
let app: TestApp
/** The texts of all extraction attempts, in order. */
let begun: Array<string>
/** Texts whose extractions wait for the model forever. */
let stalled: Set<string>
/** Lets the extractions of `ABORT` that wait for the model continue to the rule that aborts. */
let poisoned: PromiseWithResolvers<void>

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
    ]
  }
})

beforeEach(async () => {
  database = await createTestDatabase()
  begun = []
  stalled = new Set()
  poisoned = Promise.withResolvers()
  model = await start({
    otherwise: (_, n) => ({ kind: "ok", bubbles: [`Soup number ${n}, with barley.`] }),
    reading: ({ messages }) => {
      const asked = messages.map(({ content }) => content).join("\n")
      const quote = QUOTES.find((text) => asked.includes(text))
      if (quote === undefined) return { kind: "ok" }
      begun.push(quote)
      if (stalled.has(quote)) return { kind: "stall" }
      return quote === ABORT ? { kind: "ok", after: poisoned.promise } : noted(quote)
    }
  })
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
    OPENAI_TIMEOUT_SECONDS: "120",
    NODE_OPTIONS: `--import=${POISON}`
  })
  processes.push(process)
  return process
}

const timesBegun = (quote: string) => begun.filter((text) => text === quote).length
const whenBegun = (quote: string, times: number) =>
  until(`"${quote}" to be read ${times} times`, () => timesBegun(quote) === times)
const crashesOf = async (session: string) => {
  const [row] = await database.sql<Array<{ crashes: number }>>`
    select crashes from crashed_units where kind = 'reading' and unit = ${`${session} 1`}`
  return row?.crashes ?? 0
}
const whenCounted = (session: string, crashes: number) =>
  until("the crash to be counted", async () => (await crashesOf(session)) === crashes)
const whenRead = (session: string, turns: number) =>
  until("memory extraction of the turns", async () => {
    const [row] = await database.sql`select read_turn from relationships where session_id = ${session}`
    return row?.["read_turn"] === turns
  })
/** From the second crash on an extraction waits for a while. This ends the wait. */
const hurry = async (session: string) => {
  await database.sql`update graphile_worker._private_jobs set run_at = now() - interval '1 minute'
    where locked_at is null and payload::text like ${`%${session}%`}`
}
const memoriesOf = async (session: string) =>
  (await database.sql`select text from memories where session_id = ${session}`).map(({ text }) => text)
const isReply = ({ type, role }: { readonly type: string; readonly role: string }) =>
  type === "message.created" && role === "character"

/** A session in which this was said and answered. */
const say = async (text: string) => {
  const session = await app.createSession()
  await app.converse(session, text)
  return session
}

describe("a memory extraction that aborts its process", () => {
  it("is given up after five times, while others get replies and the extractions beside it are completed", async () => {
    stalled.add(SISTER)
    let worker = await serve("worker")
    const innocent = await say(SISTER)
    const guilty = await say(ABORT)
    for (const crash of [1, 2, 3, 4, 5]) {
      await hurry(guilty)
      await whenBegun(ABORT, crash)
      if (crash <= 2) await whenBegun(SISTER, crash)
      const exited = once(worker.child, "exit")
      poisoned.resolve()
      assert.deepStrictEqual(await exited, [null, "SIGABRT"])
      await whenCounted(guilty, crash)
      if (crash === 2) stalled.delete(SISTER)
      poisoned = Promise.withResolvers()
      worker = await serve("worker")
      assert.isTrue(isReply(await app.converse(await app.createSession(), "What is for dinner?")))
    }
    await whenRead(guilty, 1)
    assert.strictEqual(timesBegun(ABORT), 5)
    const { trace } = (await app.get(`/v1/sessions/${guilty}/trace`)).body.data
    assert.include(JSON.stringify(trace), '"crashed"')

    await hurry(innocent)
    await whenRead(innocent, 1)
    assert.deepStrictEqual(await memoriesOf(innocent), [SISTER])
    assert.strictEqual(await crashesOf(innocent), 2)

    poisoned.resolve()
    assert.isTrue(isReply(await app.converse(guilty, DOG)))
    await whenRead(guilty, 2)
    assert.isNull(worker.child.signalCode)
  })
})

describe("memory extractions in progress", () => {
  it("all run once if their processes are killed again and again", async () => {
    for (const quote of [SISTER, DOG]) stalled.add(quote)
    let worker = await serve("worker")
    const sessions = [await say(SISTER), await say(DOG)]
    for (const kill of [1, 2, 3, 4]) {
      for (const session of sessions) await hurry(session)
      for (const quote of [SISTER, DOG]) await whenBegun(quote, kill)
      await worker.stop("SIGKILL")
      for (const session of sessions) await whenCounted(session, kill)
      if (kill === 4) stalled.clear()
      worker = await serve("worker")
    }
    for (const session of sessions) await hurry(session)
    for (const session of sessions) await whenRead(session, 1)
    assert.deepStrictEqual(await Promise.all(sessions.map(memoriesOf)), [[SISTER], [DOG]])
  })

  it("count no crash if their process is asked to stop, and are done by another", async () => {
    stalled.add(SISTER)
    const leaving = await serve("worker")
    const session = await say(SISTER)
    await whenBegun(SISTER, 1)
    stalled.clear()
    await serve("worker")
    assert.strictEqual(await leaving.stop("SIGTERM"), 0)
    await whenRead(session, 1)
    assert.deepStrictEqual(await memoriesOf(session), [SISTER])
    assert.strictEqual((await database.sql`select 1 from crashed_units`).length, 0)
  })
})
