import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let fleet: Fleet
let receiver: Receiver
let telegram: FakeTelegram
let env: Record<string, string>
beforeEach(async () => {
  receiver = await startReceiver(status(200))
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  fleet = await createFleet()
  env = { OUTBOUND_ALLOW: "127.0.0.1", TELEGRAM_API_ROOT: telegram.url }
})
afterEach(async () => {
  await fleet.close()
  await receiver.close()
  await telegram.close()
})

const pushedSession = async (app: TestApp): Promise<string> => {
  const session = await app.createSession()
  const { status, body } = await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return session
}
/** Waits until the whole log of one exchange has been pushed, and the lane rests. */
const pushed = (session: string) =>
  until(
    "the log to be pushed",
    async () =>
      (
        await fleet.database.sql`
        select 1 from lanes where session_id = ${session} and position = 3 and status = 'idle' and owner is null`
      ).length > 0
  )
const attachBot = async (app: TestApp): Promise<string> => {
  const { status, body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: telegram.createBot().token,
    join_window_ms: 0,
    character_slug: await app.createCharacter({ greeting: "Hello." })
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  await fleet.database.sql`update telegram_bots set status = 'active'`
  return body.data.id
}
/** Stores an update that nobody is notified of. */
const storeUpdate = async (app: TestApp, bot: string, owner: string | null) => {
  const person = { id: 7, is_bot: false, first_name: "Anna" }
  const message = { message_id: 7, date: 1, chat: { id: 7, type: "private" }, from: person, text: "/help" }
  await fleet.database.sql`
    insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, sender_id, message_id, raw, owner,
      batch, attempts)
    values (${app.appId}, ${bot}, 7, 'text', 7, 7, 7, ${JSON.stringify({ update_id: 7, message })}::text::json,
      ${owner}, ${owner === null ? null : 7}, ${owner === null ? 0 : 1})`
}
const updateIsDone = async () =>
  (await fleet.database.sql`select 1 from telegram_updates where done_at is not null`).length > 0
const workerOf = async ({ child }: TroupeProcess) => {
  const row = await until("the process to name its worker", async () => {
    const [row] = await fleet.database.sql<Array<{ worker_id: string }>>`
      select worker_id from processes where pid = ${child.pid ?? 0} and worker_id is not null`
    return row
  })
  return row.worker_id
}
/** From now on until a second has passed, it is this worker's turn to sweep, and nobody else does. */
const isSweeping = (worker: string) => fleet.database.sql`
  update workers set swept_at = case when worker_id = ${worker} then now() end`
const redeliver = (session: string, laneStatus: "ready" | "waiting") => fleet.database.sql`
  update lanes set position = 0, status = ${laneStatus}, due_at = now() where session_id = ${session}`

describe("one of three workers that is killed as it takes the turn to sweep", () => {
  it("has its turn, its lane and its update taken over because its lock is free", async ({ annotate }) => {
    fleet.model.answerAfter(0)
    const app = fleet.clientOf(await fleet.start("api", env))
    const bot = await attachBot(app)
    const workers = [
      await fleet.start("worker", env),
      await fleet.start("worker", env),
      await fleet.start("worker", env)
    ]
    const session = await pushedSession(app)
    await app.send(session, "What is for dinner?")
    await pushed(session)
    fleet.model.answerAfter(null)
    await app.send(await app.createSession(), "What is for dinner?")
    await fleet.model.call(2)
    const { sql } = fleet.database
    const [running] = await sql<Array<{ owner: string }>>`select owner from turns where outcome is null`
    const worker = running?.owner ?? ""
    const names = await Promise.all(workers.map(workerOf))
    const delivered = receiver.requests.length

    // The lane and the update, too, as if this worker had claimed them.
    await storeUpdate(app, bot, worker)
    await sql`
      update lanes set position = 0, status = 'ready', owner = ${worker}, fence = fence + 1
      where session_id = ${session}`
    await isSweeping(worker)
    const killedAt = performance.now()
    const since = () => Math.round(performance.now() - killedAt)
    await workers[names.indexOf(worker)]?.stop("SIGKILL")
    // Its silence is never noticed: only its lock shows that it is dead.
    await sql`update workers set heartbeat_at = now() + interval '1 day' where worker_id = ${worker}`
    const [found, turn, lane, update] = await Promise.all([
      until("the worker to be found dead", async () => {
        return (await sql`select 1 from workers where worker_id = ${worker}`).length === 0
      }).then(since),
      until("the turn to be claimed", async () => {
        return (await sql`select 1 from turns where owner <> ${worker} and fence >= 2`).length > 0
      }).then(since),
      receiver.received(delivered).then(since),
      // What follows the claim may take longer, because this process does it for the first time.
      until("the update to be claimed", async () => {
        return (await sql`select 1 from telegram_updates where owner <> ${worker} or done_at is not null`).length > 0
      }).then(since)
    ])
    assert.lengthOf(await sql`select 1 from workers where worker_id = ${worker}`, 0)
    await annotate(`found ${found} ms, turn ${turn} ms, lane ${lane} ms, update ${update} ms after the kill`)
  })

  it("does not keep a lane waiting that is due, although nobody else was to sweep", async ({ annotate }) => {
    fleet.model.answerAfter(0)
    const app = fleet.clientOf(await fleet.start("api", env))
    const workers = [
      await fleet.start("worker", env),
      await fleet.start("worker", env),
      await fleet.start("worker", env)
    ]
    const session = await pushedSession(app)
    await app.send(session, "What is for dinner?")
    await pushed(session)
    const ids = await Promise.all(workers.map(workerOf))

    await isSweeping(ids[0] ?? "")
    const killedAt = performance.now()
    await Promise.all([workers[0]?.stop("SIGKILL"), redeliver(session, "waiting")])
    assert.isDefined(await receiver.received(3))
    const delay = Math.round(performance.now() - killedAt)
    await annotate(`delivered ${delay} ms after the kill`)
  })
})

describe("work that no worker was notified of", () => {
  it("is found by one of three workers", async ({ annotate }) => {
    fleet.model.answerAfter(0)
    const app = fleet.clientOf(await fleet.start("api", env))
    const bot = await attachBot(app)
    for (let n = 0; n < 3; n++) await fleet.start("worker", env)
    const session = await pushedSession(app)
    await app.send(session, "What is for dinner?")
    await pushed(session)

    const lostAt = performance.now()
    const since = () => Math.round(performance.now() - lostAt)
    await redeliver(session, "ready")
    await storeUpdate(app, bot, null)
    const [lane, update] = await Promise.all([
      receiver.received(3).then(since),
      until("the update to be done", updateIsDone).then(since)
    ])
    assert.isTrue(await updateIsDone())
    await annotate(`lane ${lane} ms, update ${update} ms after the loss`)
  })
})

describe("the only worker", () => {
  it("is found dead by a process that runs no turns, which frees its turn", async () => {
    const app = fleet.clientOf(await fleet.start("api", env))
    const victim = await fleet.start("worker", env)
    const session = await app.createSession()
    await app.send(session, "What is for dinner?")
    await fleet.model.call(1)
    await victim.stop("SIGKILL")
    await until(
      "the turn to be free",
      async () =>
        (await fleet.database.sql`select 1 from turns where owner is null and outcome is null and crashes = 1`).length >
        0
    )
    assert.lengthOf(await fleet.database.sql`select 1 from workers`, 0)
  })
})
