import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { type FakeRequest, start as startModel } from "#test/support/model/FakeModel.ts"
import { freePort } from "#test/support/freePort.ts"
import { onDisk } from "#test/support/postgres/onDisk.ts"
import { readSamples } from "#test/support/prometheusText.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type Cutter, startCutter } from "#test/support/hostile/startCutter.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-token-of-the-operator"
/** Lets a test set the clock of one process. */
const FAKETIME = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))
const isRoot = process.getuid?.() === 0

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A process, and what it says of itself in each of the places that the runbook names. */
const play = async (env: Record<string, string>) => {
  const port = await freePort()
  const troupe = await startTroupe({
    SECRETS_KEY,
    ADMIN_TOKEN,
    OUTBOUND_ALLOW: "127.0.0.1",
    OPERATIONS_PORT: String(port),
    ...env
  })
  const operations = `http://127.0.0.1:${port}`
  const operator = new TestApp(troupe.baseUrl, "", ADMIN_TOKEN)
  return {
    troupe,
    readyz: async () => (await fetch(`${operations}/readyz`)).status,
    healthz: async () => (await fetch(`${operations}/healthz`)).status,
    metric: async (name: string, labels: Record<string, string> = {}) =>
      readSamples(await (await fetch(`${operations}/metrics`)).text())
        .filter((one) => one.name === name && Object.entries(labels).every(([key, of]) => one.labels[key] === of))
        .reduce((sum, { value }) => sum + value, 0),
    problems: async (): Promise<ReadonlyArray<string>> =>
      (await operator.get("/admin/health")).body.data.problems.map(({ kind }: { kind: string }) => kind),
    logged: (event: string, dependency: string): ReadonlyArray<Record<string, unknown>> =>
      troupe
        .stderr()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line): Record<string, unknown> => JSON.parse(line))
        .filter((line) => line["event"] === event && line["dependency"] === dependency)
  }
}
type Played = Awaited<ReturnType<typeof play>>
const becomes = (what: string, is: () => Promise<boolean> | boolean) =>
  until(what, async () => ((await is()) ? true : undefined))
/** Evaluates alerts now, as the job does every minute. */
const evaluate = ({ sql }: TestDatabase) => sql`
  select graphile_worker.add_job('health', queue_name := 'health', job_key := 'health-of-the-test')`

describe("a database that is away", () => {
  let played: Played
  let app: TestApp
  let cutter: Cutter
  let stop: () => Promise<void>
  beforeAll(async () => {
    const target = new URL(database.url)
    cutter = await startCutter(database.url)
    const through = new URL(database.url)
    through.port = new URL(cutter.url).port
    through.hostname = "127.0.0.1"
    assert.notStrictEqual(target.port, through.port)
    played = await play({ DATABASE_URL: through.href })
    const { appId, key } = await createAppIn(database.sql)
    app = new TestApp(played.troupe.baseUrl, appId, key)
    stop = async () => {
      await played.troupe.stop("SIGTERM")
      await cutter.close()
    }
  })
  afterAll(() => stop())

  it("is in the log once, in health, metrics and /readyz, and in alerts afterwards", async () => {
    const session = await app.createSession()
    await app.converse(session, "What is for dinner?")
    assert.strictEqual(await played.readyz(), 200)
    assert.deepStrictEqual([await played.metric("troupe_database_up"), await played.metric("troupe_ready")], [1, 1])
    cutter.away(true)
    await becomes("/readyz to fail", async () => (await played.readyz()) === 503)
    assert.strictEqual(await played.healthz(), 200)
    assert.strictEqual((await app.send(session, "Hello?")).status, 503)
    await becomes("metrics to say so", async () => (await played.metric("troupe_database_up")) === 0)
    await becomes("health to say so", async () => (await played.problems()).includes("database_unreachable"))
    await becomes("the log to say so", () => played.logged("dependency_failing", "database").length > 0)
    const failing = () => played.metric("troupe_dependency_failures_total", { dependency: "database" })
    const failures = await failing()
    // As long as an alert takes.
    const since = performance.now()
    await becomes(
      "failures to be counted for a while",
      async () => performance.now() - since > 35_000 && (await failing()) > failures
    )
    assert.lengthOf(played.logged("dependency_failing", "database"), 1)
    cutter.away(false)
    await becomes("/readyz to be ready", async () => (await played.readyz()) === 200)
    assert.strictEqual((await app.converse(session, "Are you there again?")).type, "message.created")
    await becomes(
      "the log to say that it is back",
      () => played.logged("dependency_recovered", "database").length === 1
    )
    const [recovered] = played.logged("dependency_recovered", "database")
    assert.isAbove(Number(recovered?.["failures"]), 1)
    const opened = () =>
      database.sql`select 1 from alerts where kind = 'database_unreachable' and resolved_at is not null`
    await becomes("the alert to be opened and resolved", async () => (await opened()).length === 1)
  })
})

describe("a model that is down", () => {
  it("is in the log once, in health, metrics and an alert, and ends by itself", async () => {
    let isDown = false
    const model = await startModel({ otherwise: () => (isDown ? { kind: "server_error" } : { kind: "ok" }) })
    const ownDatabase = await createTestDatabase()
    const played = await play({ DATABASE_URL: ownDatabase.url, OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" })
    const { appId, key } = await createAppIn(ownDatabase.sql)
    const app = new TestApp(played.troupe.baseUrl, appId, key)
    const sessions = await Promise.all([app.createSession(), app.createSession(), app.createSession()])
    const talk = (text: string) => Promise.all(sessions.map((session) => app.converse(session, text)))
    const calls = (result: string) => played.metric("troupe_model_calls_total", { result })
    for (const event of await talk("What is for dinner?")) assert.strictEqual(event.type, "message.created")
    assert.notInclude(await played.problems(), "model_failing")
    isDown = true
    for (const { type, payload } of await talk("Are you there?"))
      assert.deepStrictEqual([type, payload["reason"]], ["message.failed", "generation_failed"])
    for (const event of await talk("Hello?")) assert.strictEqual(event.type, "message.failed")
    await becomes("health to say so", async () => (await played.problems()).includes("model_failing"))
    assert.isAbove(await calls("http_5xx"), 5)
    // The model is not part of readiness: messages are still accepted.
    assert.strictEqual(await played.readyz(), 200)
    await becomes("the log to say so", () => played.logged("dependency_failing", "model").length > 0)
    const alerts = (state: "open" | "resolved") =>
      ownDatabase.sql`select 1 from alerts where kind = 'model_failing' and (resolved_at is null) = ${state === "open"}`
    await becomes("the alert to be opened", async () => {
      await evaluate(ownDatabase)
      return (await alerts("open")).length === 1
    })
    isDown = false
    for (const event of await talk("Are you back?")) assert.strictEqual(event.type, "message.created")
    // A success within five seconds after a failure does not count, and the last probe may have failed just now.
    await becomes("the log to say that it is back", async () => {
      await talk("Do you hear me?")
      return played.logged("dependency_recovered", "model").length > 0
    })
    assert.lengthOf(played.logged("dependency_failing", "model"), 1)
    const [recovered] = played.logged("dependency_recovered", "model")
    assert.isAbove(Number(recovered?.["failures"]), 5)
    await becomes("health to say that it is over", async () => {
      await talk("And now?")
      return !(await played.problems()).includes("model_failing")
    })
    // After two evaluations without the problem.
    await becomes("the alert to be resolved", async () => {
      await evaluate(ownDatabase)
      return (await alerts("resolved")).length === 1
    })
    await played.troupe.stop("SIGTERM")
    await ownDatabase.drop()
    await model.close()
  })
})

describe.skipIf(FAKETIME === undefined)("a clock that is set forward by a day (needs Debian's libfaketime)", () => {
  it("is in health and metrics, and people are answered meanwhile", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-clock-"))
    const clock = join(folder, "clock")
    writeFileSync(clock, "+0")
    const played = await play({
      DATABASE_URL: database.url,
      LD_PRELOAD: FAKETIME ?? "",
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    })
    const { appId, key } = await createAppIn(database.sql)
    const app = new TestApp(played.troupe.baseUrl, appId, key)
    const session = await app.createSession()
    await app.converse(session, "What is for dinner?")
    assert.notInclude(await played.problems(), "clock_skewed")
    writeFileSync(clock, "+1d")
    await becomes("health to say so", async () => (await played.problems()).includes("clock_skewed"))
    // Everything that health knows of is by the database's clock: no worker seems silent.
    assert.notIncludeMembers([...(await played.problems())], ["no_worker", "worker_silent"])
    await becomes("metrics to say so", async () => (await played.metric("troupe_clock_skew_seconds")) > 80_000)
    assert.strictEqual((await app.converse(session, "Are you there?")).type, "message.created")
    // Back, which is a clock that is set back by a day.
    writeFileSync(clock, "+0")
    await becomes("health to say so", async () => !(await played.problems()).includes("clock_skewed"))
    assert.strictEqual((await app.converse(session, "And now?")).type, "message.created")
    await played.troupe.stop("SIGTERM")
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(!isRoot)("a full disk of the database (as root: mounts a tmpfs)", () => {
  it("is in health before it is full, loses nothing that was acknowledged, and no model writes a reply again", () =>
    onDisk(280 * 1024, async (disk) => {
      const dataDir = join(disk, "data")
      mkdirSync(dataDir)
      // Too long for any page that the database has already.
      const words = ["rain", "soup", "window", "river", "garden", "bread", "lantern", "meadow", "willow", "candle"]
      const story = Array.from(
        { length: 30 },
        () => `${Array.from({ length: 30 }, () => words[randomInt(words.length)]).join(" ")}.`
      )
      const full = Promise.withResolvers<void>()
      const isStory = ({ question, messages }: FakeRequest) =>
        question === "reply" && messages.some(({ content }) => content.includes("Tell me a story."))
      const model = await startModel({
        otherwise: (request) =>
          isStory(request) ? { kind: "ok", bubbles: story, after: full.promise } : { kind: "ok" }
      })
      const played = await play({ DATA_DIR: dataDir, OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" })
      const [key = ""] = /ck_\w+/.exec(played.troupe.stdout()) ?? []
      const [session = ""] = /ses_\w+/.exec(played.troupe.stdout()) ?? []
      const app = new TestApp(played.troupe.baseUrl, "", key)
      const fill = join(disk, "fill")
      // Nearly full, but the database still works.
      const [free = ""] = execFileSync("df", ["--output=avail", "-k", disk], { encoding: "utf8" }).match(/\d+/) ?? []
      execFileSync("fallocate", ["--length", `${Number(free) - 4096}K`, fill])
      await becomes("health to say so", async () => (await played.problems()).includes("disk_nearly_full"))
      const acknowledged: Array<string> = []
      const say = async () => {
        const id = `message-${acknowledged.length + 1}`
        const { status } = await app.post(`/v1/sessions/${session}/messages`, { text: id, client_message_id: id })
        if (status === 200) acknowledged.push(id)
        return status
      }
      assert.strictEqual(await say(), 200)
      const listener = await app.createSession()
      assert.strictEqual((await app.send(listener, "Tell me a story.")).status, 200)
      const stories = () => model.requests.filter(isStory).length
      await becomes("the model to be asked for the story", () => stories() === 1)
      // Completely full: what does not fit in the files that the database has is refused, and never with a 500.
      execFileSync("sh", ["-c", `cat /dev/zero > ${join(disk, "rest")} 2> /dev/null || true`])
      full.resolve()
      await becomes("a message to be refused", async () => {
        const status = await say()
        assert.include([200, 429, 503], status)
        return status === 503
      })
      await becomes("/readyz to fail", async () => (await played.readyz()) === 503)
      assert.strictEqual(await played.healthz(), 200)
      await becomes("the log to say so", () => played.logged("dependency_failing", "database").length > 0)
      const failures = () => played.metric("troupe_dependency_failures_total", { dependency: "database" })
      const before = await failures()
      await becomes("the story to be written several times", async () => (await failures()) >= before + 5)
      rmSync(fill)
      rmSync(join(disk, "rest"))
      await becomes("/readyz to be ready", async () => (await played.readyz()) === 200)
      await becomes("a message to be accepted", async () => (await say()) === 200)
      const events = await until("all replies", async () => {
        const all = await app.events(session)
        return all.filter(({ type }) => type === "run.status").length >= acknowledged.length && all
      })
      const stored = events
        .map(({ payload }): unknown => payload["text"])
        .filter((text) => String(text).startsWith("message-"))
      assert.includeMembers(stored, acknowledged)
      assert.lengthOf(new Set(stored), stored.length)
      const told = await app.waitFor(listener, ({ type, role }) => type === "message.created" && role === "character")
      assert.include(told.payload["text"], story.at(-1) ?? "")
      assert.strictEqual(stories(), 1)
      await played.troupe.stop("SIGTERM")
      await model.close()
    }))
})
