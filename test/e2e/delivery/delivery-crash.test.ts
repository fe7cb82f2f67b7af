import { once } from "node:events"
import { resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { DELIVERY_MARK } from "#test/support/poisonedSource.ts"
import { hang, type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const POISON = resolve(import.meta.dirname, "../../support/poison.ts")

let database: TestDatabase
let receiver: Receiver
let app: TestApp
/** While it is true, the receiver does not answer. */
let stalled = true
const processes: Array<TroupeProcess> = []

const serve = async (roles: "api" | "worker") => {
  const process = await startTroupe({
    NODE_ENV: "production",
    SECRETS_KEY,
    DATABASE_URL: database.url,
    ROLES: roles,
    OUTBOUND_ALLOW: "127.0.0.1",
    POISON_PATIENT: "1",
    NODE_OPTIONS: `--import=${POISON}`
  })
  processes.push(process)
  return process
}
beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver((response, request) => (stalled ? hang : status(200))(response, request))
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp((await serve("api")).baseUrl, appId, key)
})
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop("SIGKILL")))
  await receiver.close()
  await database.drop()
})

const crashes = async () =>
  new Map(
    (
      await database.sql<Array<{ unit: string; crashes: number }>>`
        select unit, crashes from crashed_units where kind = 'delivery'`
    ).map((row) => [row.unit, row.crashes])
  )
const deliveryOf = async (session: string, cursor: number) =>
  (await app.get(`/v1/sessions/${session}/delivery`)).body.data.deliveries.find(
    (delivery: { readonly event_cursor: number }) => delivery.event_cursor === cursor
  )
/** The cursor of the message that is sent to a session next. */
const nextCursor = async (session: string) => ((await app.events(session)).at(-1)?.cursor ?? 0) + 1

describe("a webhook delivery that aborts its process", () => {
  it("is given up at the fifth time and says so, while its lane goes on and others are delivered", async () => {
    const { body } = await app.post(`/v1/apps/${app.appId}/channels`, {
      kind: "webhook",
      url: receiver.url,
      events: ["message.created"]
    })
    const channel = body.data.id as string
    const innocents = [await app.createSession(), await app.createSession()]
    const guilty = await app.createSession()
    const cursor = await nextCursor(guilty)
    const unit = `${channel} ${guilty} ${cursor}`
    await database.sql`insert into crashed_units (app_id, kind, unit, crashes)
      values (${app.appId}, 'delivery', ${unit}, 4)`

    const first = await serve("worker")
    for (const session of innocents) await app.send(session, "Hello.")
    await until("the others to be on their way", () => receiver.requests.length >= innocents.length)
    await app.send(guilty, DELIVERY_MARK)
    if (first.child.signalCode === null) await once(first.child, "exit")
    assert.strictEqual(first.child.signalCode, "SIGABRT")
    const counted = await until("the crash to be counted", async () => {
      const units = await crashes()
      return units.get(unit) === 5 && units
    })
    assert.deepStrictEqual(
      [...counted].filter(([of]) => of !== unit).map(([, times]) => times),
      [1, 1]
    )

    stalled = false
    const second = await serve("worker")
    const given = await until("the delivery to be given up", async () => {
      const delivery = await deliveryOf(guilty, cursor)
      return delivery?.outcome === "rejected" && delivery
    })
    assert.strictEqual(given.last_error_code, "crashed")
    // What comes behind it: the reply.
    await until("the lane to go on", () =>
      receiver.requests.some(
        ({ body: sent }) =>
          sent.includes(guilty) && sent.includes('"role":"character"') && !sent.includes(DELIVERY_MARK)
      )
    )
    for (const session of innocents) {
      const { cursor: hello } = (await app.events(session)).find(({ role }) => role === "user") ?? assert.fail("none")
      await until("the others to be delivered", async () => (await deliveryOf(session, hello))?.outcome === "sent")
    }
    assert.isNull(second.child.signalCode)
    assert.strictEqual((await app.post(`/v1/sessions/${guilty}/delivery/${given.id}/retry`, {})).status, 200)
  })
})
