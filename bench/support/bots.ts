import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { EVENT_TYPES } from "#channels/telegram/render.ts"
import { BOT_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { seal, secretsKey } from "#src/db/postgres/secretsCipher.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { APP, type BenchHarness } from "./BenchHarness.ts"

/** The webhook secret of all bots in the benchmarks. */
export const HOOK_SECRET = "a-secret-of-the-bench"

export const botId = (n: number) => `bot_${String(n).padStart(26, "0")}`

/** Attached bots, as rows. Their probes are spread over ten minutes, like those of a real fleet. */
export const addBots = async ({ sql }: BenchHarness, count: number): Promise<void> => {
  const key = secretsKey(Redacted.make(Buffer.from(SECRETS_KEY, "base64")))
  const ids = Array.from({ length: count }, (_, n) => botId(n))
  const tokens = ids.map((id, n) =>
    seal(key, BOT_TOKEN, [APP, id], Redacted.make(`${FIRST_USER_ID + n}:${"A".repeat(35)}`)).toString("hex")
  )
  await sql`
    insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, username, info, token, token_hint,
      secret_hash, status, join_window_ms, probe_due_at)
    select ${APP}, id, 'byo', 'bench',
      ${FIRST_USER_ID - 1} + n, 'bench_' || n || '_bot', json_build_object('id',
        ${FIRST_USER_ID - 1} + n, 'is_bot', true, 'first_name', 'Bench', 'username', 'bench_' || n || '_bot'),
      decode(token, 'hex'), '...AAAA',
        ${createHash("sha256").update(HOOK_SECRET).digest()}, 'active', 0,
          now() + interval '10 minutes' * n / ${count}::float8
    from unnest(${ids}::text[], ${tokens}::text[]) with ordinality b(id, token, n)`
  await sql`
    insert into channels (app_id, channel_id, covers, kind, paced, endpoint, target, events)
    select ${APP}, id, 'chats', 'telegram_byo', true, 'telegram ' || id, '{}',
      ${[...EVENT_TYPES]}::text[] from unnest(${ids}::text[]) id`
  await sql`insert into telegram_paces (app_id, channel_id, chat_id)
    select ${APP}, id, 0 from unnest(${ids}::text[]) id`
  await sql.unsafe("vacuum analyze")
}

const FIRST_USER_ID = 1_000_000
const usernameOf = (userId: number) => `bench_${userId - FIRST_USER_ID + 1}_bot`

let updates = 0
/** A message to a bot in a separate chat, as Telegram posts it. */
export const textUpdate = (chatId: number): string => {
  updates++
  const person = { id: chatId, is_bot: false, first_name: "Bench", language_code: "en" }
  return JSON.stringify({
    update_id: 500_000_000 + updates,
    message: {
      message_id: updates,
      from: person,
      chat: { id: chatId, first_name: "Bench", type: "private" },
      date: 1_790_000_000,
      text: "hello there, how are you today?"
    }
  })
}

/** A Bot API that accepts everything, and records the arrival time of each text. */
export const startBotApi = async () => {
  const arrivals = new Map<string, number>()
  let messages = 0
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .once("end", () => {
        const isMessage = request.url?.endsWith("/sendMessage") === true
        if (isMessage) arrivals.set(JSON.parse(Buffer.concat(chunks).toString("utf8")).text, performance.now())
        const id = Number(request.url?.match(/^\/bot(\d+):/)?.[1])
        const result = isMessage
          ? { message_id: ++messages }
          : request.url?.endsWith("/getMe") === true
            ? { id, is_bot: true, first_name: "Bench", username: usernameOf(id) }
            : request.url?.endsWith("/getWebhookInfo") === true
              ? { url: "", pending_update_count: 0 }
              : true
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }))
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Arrival times by text, by `performance.now()` of this process. */
    arrivals,
    messages: () => messages,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
