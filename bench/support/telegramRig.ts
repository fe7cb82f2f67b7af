import postgres from "postgres"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { startSlowModel } from "#test/support/model/SlowModel.ts"
import { startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"
import { freePort, startFront } from "./front.ts"
import { UNREACHED_LIMITS } from "./processes.ts"
import { APOLOGY, type FakeBot } from "./telegramRecords.ts"

/** All calls count, including typing indicators. The limit per chat is the one that Troupe keeps to. */
const CEILINGS = {
  chat: { perSecond: 1, burst: 3 },
  group: { perSecond: 1 / 3, burst: 1 },
  bot: { perSecond: 100, burst: 40 }
}

const NAMES = ["Ada", "Bela", "Cleo", "Dora", "Emil", "Finn", "Gita", "Hugo", "Ines", "Joon"]
/** Three unique bubbles that are not similar to others, because a character that repeats itself is refused. */
const replyOf = (n: number) => {
  const guest = [...String(n)].map((digit) => NAMES[Number(digit)]).join(" ")
  return JSON.stringify({
    decision: "reply",
    exit_reason: null,
    bubbles: ["soup is hot", "bread is warm", "salt is white"].map((what) => `${guest}, ${what}.`),
    cited_memory_ids: []
  })
}

/** Processes, a fake Telegram and a model, for runs in which processes are killed. No process is started yet. */
export const startTelegramRig = async ({
  databaseUrl,
  seed
}: {
  readonly databaseUrl: string
  readonly seed: number
}) => {
  const model = await startSlowModel(20, replyOf)
  const telegram = await startFakeTelegram({ takesAnyWebhookUrl: true, rates: CEILINGS, seed })
  const live: Array<TroupeProcess & { readonly port: number }> = []
  const everStarted: Array<TroupeProcess> = []
  let turn = 0
  const front = await startFront(() => live[turn++ % live.length]?.port)
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} })
  return {
    telegram,
    sql,
    /** The running processes. Whoever kills one removes it. */
    live,
    start: async () => {
      const port = await freePort()
      const process = await startTroupe({
        NODE_ENV: "production",
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        ROLES: "api,worker",
        OPENAI_BASE_URL: model.baseUrl,
        SECRETS_KEY,
        PUBLIC_URL: front.url,
        TELEGRAM_API_ROOT: telegram.url,
        ...UNREACHED_LIMITS
      })
      everStarted.push(process)
      live.push({ ...process, port })
    },
    /** An app with bots of one character. */
    attach: async (count: number, policyOf: (index: number) => string) => {
      const { appId, key } = await createAppIn(sql)
      const app = new TestApp(front.url, appId, key)
      const character_slug = await app.createCharacter({
        greeting: "Come in, the soup is hot.",
        fallback_lines: [APOLOGY]
      })
      const bots = Array.from({ length: count }, () => telegram.createBot())
      const idOf = new Map<FakeBot, string>()
      for (const [index, bot] of bots.entries()) {
        const { status, body } = await app.post("/v1/telegram/bots", {
          mode: "byo",
          token: bot.token,
          character_slug,
          join_window_ms: 0,
          unknown_policy: policyOf(index)
        })
        if (status !== 200 || body.data.status !== "active")
          throw new Error(`a bot was not attached: ${JSON.stringify(body)}`)
        idOf.set(bot, body.data.id)
      }
      return { app, appId, bots, idOf }
    },
    /** Waits until all that is under way has ended. */
    rest: (bots: ReadonlyArray<FakeBot>) =>
      until("all that is under way to end", async () => {
        const [row] =
          await sql`select (select count(*) from lanes where position < head or owner is not null) + (select count(*)
            from telegram_updates where done_at is null) + (select count(*) from turns where outcome is null) as n`
        return Number(row?.["n"]) === 0 && bots.every((bot) => telegram.pendingUpdates(bot).length === 0)
      }),
    close: async () => {
      await Promise.all(everStarted.map((process) => process.stop("SIGKILL")))
      await front.close()
      await telegram.close()
      await model.close()
      await sql.end({ timeout: 1 })
    }
  }
}
