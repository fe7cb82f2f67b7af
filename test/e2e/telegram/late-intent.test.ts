import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createServer as createTlsServer } from "node:tls"
import { assert, describe, it } from "vitest"
import { createFleet } from "#test/support/Fleet.ts"
import { startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { speakIn } from "#test/support/telegram/speakIn.ts"
import { until } from "#test/support/until.ts"

const fileOf = (name: string) => join(import.meta.dirname, `../../support/tls/${name}.pem`)

/** TLS in front of a port. While it is shut, it answers no handshake, so no connection is ever ready. */
const startTlsFront = async (port: number) => {
  const sockets = new Set<Socket>()
  let [isShut, waiting] = [false, 0]
  const secure = createTlsServer(
    { key: readFileSync(fileOf("key")), cert: readFileSync(fileOf("certificate")) },
    (client) => {
      const upstream = connect(port, "127.0.0.1")
      for (const [one, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        one.on("error", () => other.destroy())
        one.on("close", () => other.destroy())
      }
      client.pipe(upstream).pipe(client)
    }
  )
  secure.on("tlsClientError", () => {})
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    if (isShut) waiting += 1
    else secure.emit("connection", socket)
  })
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    shut: () => {
      isShut = true
      breakAll()
    },
    /** How many connections have been opened since, in vain. */
    waiting: () => waiting,
    reopen: () => {
      isShut = false
      breakAll()
    },
    close: async () => {
      breakAll()
      server.close()
      await once(server, "close")
    }
  }
}

describe("a process that is killed while a message has its slot, but no connection yet", () => {
  it("leaves nothing unknown: the next process sends all of the message", async () => {
    const fake = await startFakeTelegram({ takesAnyWebhookUrl: true })
    const front = await startTlsFront(Number(new URL(fake.url).port))
    const fleet = await createFleet()
    fleet.model.answerAfter(0)
    try {
      const env = { TELEGRAM_API_ROOT: front.url, NODE_EXTRA_CA_CERTS: fileOf("certificate") }
      const { sql } = fleet.database
      const first = await fleet.start("api,worker", env)
      const app = fleet.clientOf(first)
      const [bot, person] = [fake.createBot(), fake.createUser()]
      const { status, body } = await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        join_window_ms: 0,
        character_slug: await app.createCharacter({ greeting: "Hello." })
      })
      assert.strictEqual(status, 200, JSON.stringify(body))
      const said = () =>
        fake.transcript(bot, person).flatMap(({ from, text }) => (from?.id === bot.id ? [text ?? ""] : []))
      fake.start(person, bot)
      await until("the greeting", () => said().length === 1)
      const atRest = () =>
        until(
          "the lane to reach its end",
          async () => (await sql`select 1 from lanes where position < head or owner is not null`).length === 0
        )
      await atRest()

      front.shut()
      const [chat] = await sql<Array<{ session_id: string }>>`select session_id from telegram_chats`
      await speakIn(sql, chat?.session_id ?? "", ["One.", "Two."])
      await until(
        "the message to wait for a connection",
        async () => front.waiting() > 0 && (await sql`select 1 from lanes where owner is not null`).length === 1
      )
      assert.isEmpty(await sql`select 1 from lanes where sending is not null`)
      await first.stop("SIGKILL")

      front.reopen()
      await fleet.start("api,worker", env)
      await until("the whole message", () => said().includes("Two."))
      await atRest()
      assert.deepStrictEqual(said(), ["Hello.", "One.", "Two."])
      assert.isEmpty(await sql`select 1 from delivery_attempts where outcome = 'unknown'`)
    } finally {
      await fleet.close()
      await front.close()
      await fake.close()
    }
  })
})
