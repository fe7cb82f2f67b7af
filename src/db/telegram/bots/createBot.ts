import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { EVENT_TYPES } from "#channels/telegram/render.ts"
import { TELEGRAM_BYO } from "#channels/telegram/telegramKinds.ts"
import type { UnknownPolicy } from "#channels/telegram/TelegramBots.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { tokenHint } from "../tokenHint.ts"
import { sealToken } from "./botTokens.ts"
import { getBot } from "./readBots.ts"
import { INTRODUCED_WITHIN } from "./botRecords.ts"
import type { BotIdentity } from "./StoredBot.ts"

export interface NewBot extends BotIdentity {
  readonly channelId: string
  readonly characterSlug: string
  readonly token: Redacted.Redacted<string>
  /** The prefix of its webhook URL. Its id is appended. */
  readonly hooksAt: string
  readonly joinWindowMs: number | undefined
  readonly drafts: boolean | undefined
  readonly unknownPolicy: UnknownPolicy | undefined
}

/** The bot is already registered, here or in another app. */
export class BotTaken extends Schema.TaggedError<BotTaken>()("BotTaken", {}) {}

export const createBot = Effect.fnUntraced(function* (appId: string, bot: NewBot) {
  const { query } = yield* Database
  const { channelId } = bot
  const token = yield* sealToken(appId, channelId, bot.token)
  const made = yield* query(
    (sql) => sql`
        insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, username, info, token,
          token_hint, webhook_url, status, unknown_policy, join_window_ms, drafts, probe_due_at, profile_due_at)
        values (${appId}, ${channelId}, 'byo',
          ${bot.characterSlug}, ${bot.userId}, ${bot.username}, ${JSON.stringify(bot.info)}::text::jsonb,
          ${token},
            ${tokenHint(bot.token)}, ${`${bot.hooksAt}/${channelId}`}, 'pending',
              ${bot.unknownPolicy ?? "skip"}, ${bot.joinWindowMs ?? 1200}::int, ${bot.drafts ?? false}::boolean,
              -- A probe at once would set the webhook at the same time as the request that attaches the bot.
              now() + interval '1 minute',
              now() + ${INTRODUCED_WITHIN}::interval)
        on conflict (user_id) where status <> 'detached' do nothing returning 1`
  )
  if (made.length === 0) return yield* new BotTaken()
  yield* query(
    (sql) => sql`
        insert into channels (app_id, channel_id, covers, kind, paced, hold_kind, endpoint, target, events, status)
        values (${appId}, ${channelId}, 'chats',
          ${TELEGRAM_BYO.name}, ${TELEGRAM_BYO.paced}, ${TELEGRAM_BYO.holdKind},
          ${`telegram ${channelId}`}, '{}', ${[...EVENT_TYPES]}::text[], 'paused')`
  )
  yield* query(
    (sql) => sql`insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, 0)`
  )
  return (yield* getBot(appId, channelId)) ?? (yield* Effect.die(new Error("a bot just written is gone")))
}, inTransaction)
