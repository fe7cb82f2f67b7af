import { assert, describe, it } from "vitest"
import { createFleet } from "#test/support/Fleet.ts"
import { startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { until } from "#test/support/until.ts"

describe("a process that is killed while it sends the reply to a completed /forget", () => {
  it.each([
    ["before it is sent, leaves it to the next process, which sends it before later messages", false, "sent"],
    ["between sending and recording, never has it sent again, and the chat continues", true, "unknown"]
  ] as const)("%s", async (_, isSent, outcome) => {
    const fake = await startFakeTelegram({ takesAnyWebhookUrl: true })
    const fleet = await createFleet()
    fleet.model.answerAfter(0)
    try {
      const env = { TELEGRAM_API_ROOT: fake.url }
      const { sql } = fleet.database
      const first = await fleet.start("api,worker", env)
      const app = fleet.clientOf(first)
      const [bot, person] = [fake.createBot(), fake.createUser()]
      await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        join_window_ms: 0,
        character_slug: await app.createCharacter({ greeting: "Hello." })
      })
      const said = () =>
        fake.transcript(bot, person).flatMap(({ from, text }) => (from?.id === bot.id ? [text ?? ""] : []))
      fake.start(person, bot)
      await until("the greeting", () => said().length === 1)
      fake.say(person, bot, "/forget")
      await until("the question", () => said().length === 2)

      // The process dies with both in progress: the reply due or in flight, and the greeting after it.
      const forgetAndStart = async () => {
        for (const text of ["/forget", "/start"]) fake.say(person, bot, text)
        await until(
          "both to be handled",
          async () => (await sql`select 1 from telegram_updates where done_at is not null`).length === 4
        )
      }
      if (isSent) {
        fake.fault({ bot, method: "sendMessage" }, { kind: "slow", ms: 30_000 })
        await forgetAndStart()
        await until("it to be on the wire", () => fake.calls({ bot, method: "sendMessage" }).length === 3)
        await first.stop("SIGKILL")
        fake.advance(30_000)
        await until("it to arrive", () => said().length === 3)
      } else {
        await sql.begin(async (tx) => {
          await tx`select from telegram_paces for update`
          await forgetAndStart()
          await until(
            "its lane to be leased",
            async () =>
              (
                await sql`select 1 from lanes join telegram_chats on service_log_id = lanes.session_id
                    where owner is not null`
              ).length === 1
          )
          await first.stop("SIGKILL")
        })
        assert.lengthOf(said(), 2)
      }

      await fleet.start("api,worker", env)
      await until("the greeting of who starts over", () => said().at(-1) === "Hello." && said().length > 2)
      assert.deepStrictEqual(
        said()
          .slice(2)
          .map((text) => text.replace(/^Your data has been deleted.*/, "deleted")),
        ["deleted", "Hello."]
      )
      assert.deepStrictEqual(
        (await sql`select outcome from delivery_attempts a join telegram_chats on service_log_id = a.session_id`).map(
          (row) => row["outcome"]
        ),
        [outcome]
      )
    } finally {
      await fleet.close()
      await fake.close()
    }
  })
})
