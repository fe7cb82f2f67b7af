import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { TestApp } from "#test/support/TestApp.ts"
import { runTroupe, startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let folder: string
let server: TroupeProcess
let app: TestApp
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-crash-"))
  server = await startTroupe({ DATA_DIR: folder })
  const made = JSON.parse((await runTroupe({ DATA_DIR: folder }, ["app", "create", "crash"])).stdout)
  app = new TestApp(server.baseUrl, made.app_id, made.api_key)
})
afterAll(async () => {
  await server.stop("SIGTERM")
  await rm(folder, { recursive: true, force: true })
})

/** Ends every server process at once, as a power cut would. */
const crashDatabase = () =>
  process.kill(Number(readFileSync(join(folder, "pg", "postmaster.pid"), "utf8").split("\n", 1)[0]), "SIGQUIT")

/** A client that repeats a send with its key until it is acknowledged. */
const sendUntilAcknowledged = async (session: string, text: string): Promise<number> => {
  const key = randomUUID()
  return until(
    () => `an acknowledgement; the server said: ${server.stderr()}`,
    async () => {
      const answer = await app.send(session, text, { "idempotency-key": key })
      if (answer.status === 200) return answer.body.data.cursor as number
      assert.strictEqual(answer.status, 503)
      assert.isString(answer.body.detail)
      return undefined
    }
  )
}

describe("a crash of the database", () => {
  it("loses nothing that was acknowledged, and every turn is answered once, in order", async () => {
    const session = await app.createSession()
    const cursors: Array<number> = []
    for (let n = 0; n < 30; n++) {
      if (n === 10 || n === 20) crashDatabase()
      cursors.push(await sendUntilAcknowledged(session, `message ${n}`))
    }
    const replied = (events: ReadonlyArray<{ type: string; role: string; payload: Record<string, unknown> }>) =>
      events.filter((event) => event.role === "character" && event.type === "message.created")
    await app.waitFor(session, (event) => event.role === "character" && event.payload["turn_index"] === 30)
    const events = await app.events(session)
    assert.deepStrictEqual(
      events.map((event) => event.cursor),
      events.map((_, index) => index + 1)
    )
    const said = events.filter((event) => event.role === "user")
    assert.deepStrictEqual(
      said.map((event) => event.payload["text"]),
      Array.from({ length: 30 }, (_, n) => `message ${n}`)
    )
    assert.deepStrictEqual(
      said.map((event) => event.cursor),
      cursors
    )
    assert.deepStrictEqual(
      replied(events).map((event) => event.payload["turn_index"]),
      Array.from({ length: 30 }, (_, n) => n + 1)
    )
  })
})
