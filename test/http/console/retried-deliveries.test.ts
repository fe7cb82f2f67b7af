import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-who-retries"

let server: TestServer
let operator: TestApp
let receiver: Receiver
let answers = 400
beforeAll(async () => {
  receiver = await startReceiver((response, request) => status(answers)(response, request))
  server = await startTestServer({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const page = async (path: string): Promise<string> => String((await operator.get(path)).body)
/** What a screen says, without its markup. */
const read = async (path: string): Promise<string> =>
  (await page(path))
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")

/** Waits until a screen says this, and names what it says instead. */
const untilItSays = (path: string, words: string) => {
  let said = ""
  return until(
    () => `"${words}" on the screen, which says: ${said}`,
    async () => (said = await read(path)).includes(words)
  )
}

describe("the screen of a batch that retries deliveries", () => {
  it("tells what was requested from what arrived and from what failed again", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    const { data } = (
      await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url, retry_schedule: [1] })
    ).body
    await app.converse(session, "What is for dinner?")
    const { length } = await app.events(session)
    await until("every delivery to fail twice", async () => {
      const failed = await server.database.sql`
        select from delivery_attempts where session_id = ${session} group by event_id having count(*) >= 2`
      return failed.length === length
    })
    const retry = async () => {
      const body = { filter: { channel_id: data.id, since: "2026-01-01T00:00:00Z" }, per_minute: 6000 }
      return `/console/batches/${(await operator.post("/admin/deliveries/batches", body)).body.data.id}`
    }

    const failing = await retry()
    await untilItSays(failing, `${length} failed again`)
    const failed = await read(failing)
    assert.include(failed, `${length} of ${length} done 0 arrived ${length} failed again 0 requested Finished.`)
    assert.notInclude(failed, "succeeded")
    assert.match(failed, /1 evt_\w+ http\S+ failed again (?:rejected|expired|not sent) 400/)

    answers = 204
    const repaired = await retry()
    await untilItSays(repaired, `${length} arrived`)
    assert.include(await read(repaired), `${length} arrived 0 failed again 0 requested`)
    // What happens after a batch is not its own failure any more.
    assert.include(await read(failing), `${length} arrived`)

    const [, event = ""] =
      /href="(\/console\/deliveries\?state=any&amp;event=evt_\w+)"/.exec(await page(repaired)) ?? []
    assert.match(await read(event.replaceAll("&amp;", "&")), / sent 204 /)
  })

  it("says requested while a paused webhook has not tried", async () => {
    answers = 400
    const app = await server.createApp()
    const { data } = (
      await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: receiver.url, retry_schedule: [1] })
    ).body
    await app.createSession({ character_slug: await app.createCharacter({ greeting: "Come in." }) })
    await until("both attempts", async () => {
      const failed = await server.database.sql`select from delivery_attempts where channel_id = ${data.id}`
      return failed.length === 2
    })
    await operator.post(`/admin/channels/${data.id}/pause`, {})
    const body = { filter: { channel_id: data.id, since: "2026-01-01T00:00:00Z" }, per_minute: 6000 }
    const { id } = (await operator.post("/admin/deliveries/batches", body)).body.data
    await untilItSays(`/console/batches/${id}`, "Finished.")
    assert.match(
      await read(`/console/batches/${id}`),
      / 0 arrived 0 failed again 1 requested Finished\. .* requested –/
    )
  })
})
