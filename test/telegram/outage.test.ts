import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { connect, createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { Outage } from "#channels/telegram/Outage.ts"
import { freePort } from "#test/support/freePort.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

/** The connection to Telegram, which can be cut. */
const startWay = async () => {
  let to = 0
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const open = (port: number) =>
    new Promise<number>((resolve) => {
      const opened = createServer((socket) => {
        const onward = connect(to, "127.0.0.1")
        for (const end of [socket, onward]) {
          sockets.add(end)
          end.on("error", () => {}).once("close", () => sockets.delete(end))
        }
        socket.pipe(onward).pipe(socket)
      }).listen(port, "127.0.0.1", () => resolve((opened.address() as AddressInfo).port))
      server = opened
    })
  const close = () =>
    new Promise<void>((resolve) => {
      server?.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  const port = await open(await freePort())
  return {
    url: `http://127.0.0.1:${port}`,
    lead: (url: string) => {
      to = Number(new URL(url).port)
    },
    cut: close,
    mend: () => open(port),
    close
  }
}

let way: Awaited<ReturnType<typeof startWay>>
let harness: TelegramHarness
beforeAll(async () => {
  way = await startWay()
  harness = await startTelegramHarness({ env: { TELEGRAM_API_ROOT: way.url } })
  way.lead(harness.telegram.url)
})
afterAll(async () => {
  await harness.close()
  await way.close()
})

describe("an unreachable Telegram, after failures of three bots", () => {
  it.effect("is tried by one message at a time, less and less often, until one succeeds", () =>
    Effect.gen(function* () {
      const { wait, record } = yield* Outage
      for (const bot of ["bot_1", "bot_2"]) yield* record(bot, false)
      yield* record("bot_2", false)
      assert.strictEqual(Duration.toSeconds(yield* wait), 0)
      yield* record("bot_3", false)
      for (const late of ["bot_3", "bot_5"]) yield* record(late, false)
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        assert.strictEqual(Duration.toSeconds(yield* wait), seconds)
        yield* TestClock.adjust(Duration.seconds(seconds))
        assert.strictEqual(Duration.toSeconds(yield* wait), 0)
        assert.strictEqual(Duration.toSeconds(yield* wait), seconds)
        yield* record("bot_4", false)
      }
      yield* record("bot_4", true)
      assert.strictEqual(Duration.toSeconds(yield* wait), 0)
      yield* record("bot_1", false)
      assert.strictEqual(Duration.toSeconds(yield* wait), 0)
    }).pipe(Effect.provide(Outage.layer))
  )

  it("is not called for other messages, which are all sent when it is reachable", async () => {
    const { sql } = harness.server.database
    const greeted = async () => {
      const attached = await harness.attach()
      const person = harness.telegram.createUser({ first_name: "Anna" })
      harness.telegram.start(person, attached.bot)
      await saidAtLeast(harness, attached.bot, person, 1)
      return { ...attached, person }
    }
    const bots = [await greeted(), await greeted(), await greeted(), await greeted()]
    const failed = async (id: string) =>
      (await sql`select 1 from delivery_attempts where channel_id = ${id} and error_code = 'econnrefused'`).length
    const [last] = bots.splice(3)
    await way.cut()
    // Simulates a message that Telegram delivers, over a different connection.
    for (const { bot, person } of bots) harness.telegram.say(person, bot, "/help")
    await until("three bots to have tried", async () =>
      (await Promise.all(bots.map(({ id }) => failed(id)))).every((tries) => tries > 0)
    )
    if (last === undefined) return assert.fail("there is no fourth bot")
    harness.telegram.say(last.person, last.bot, "/help")
    await until(
      "its answer to wait",
      async () =>
        (await sql`select 1 from lanes where channel_id = ${last.id} and position < head and due_at > now()`).length > 0
    )
    assert.isAtMost(await failed(last.id), 1)
    await way.mend()
    for (const { bot, person } of [...bots, last])
      assert.include((await saidAtLeast(harness, bot, person, 2))[1], "/reset")
  })
})
