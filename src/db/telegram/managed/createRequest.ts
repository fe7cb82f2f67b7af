import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { EVENT_TYPES } from "#channels/telegram/render.ts"
import { TELEGRAM_MANAGED } from "#channels/telegram/telegramKinds.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { CLAIM_CODE } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { BotRows } from "../BotRows.ts"
import type { BotSettings } from "../bots/configureBot.ts"
import type { StoredBot } from "../bots/StoredBot.ts"
import { hashOf } from "./claimCode.ts"

/**
 * How long a username stays reserved for its app after its link has expired, because a person may still create the bot.
 */
const NAME_HELD_FOR = "1 day"

export interface Wanted extends BotSettings {
  readonly channelId: string
  readonly characterSlug: string
  readonly suggestedUsername: string
  /** The username can only be known from the link. */
  readonly isRandom: boolean
  readonly suggestedName: string
  readonly ownerRef: string | null
  /** The prefix of its webhook URL, if it is known. Its id is appended. */
  readonly hooksAt: string | null
  readonly linkMinutes: number
  /** The claim code is kept until the bot exists. */
  readonly isShownAgain: boolean
}

export interface Provisioned {
  readonly bot: StoredBot
  readonly claimCode: string
  readonly expiresAt: Date
}

/** Another app has reserved the suggested username. */
export class NameTaken extends Schema.TaggedError<NameTaken>()("NameTaken", {}) {}

export const createRequest = Effect.fnUntraced(function* (appId: string, wanted: Wanted) {
  const [{ query }, rows, secrets] = [yield* Database, yield* BotRows, yield* Secrets]
  const { channelId } = wanted
  const claimCode = randomBytes(24).toString("base64url")
  const held = yield* query(
    (sql) => sql`
        insert into telegram_names (name, app_id, held_until)
        values (${wanted.suggestedUsername.toLowerCase()},
          ${appId}, now() + ${wanted.linkMinutes}::int * interval '1 minute' + ${NAME_HELD_FOR}::interval)
        on conflict (name) do update set app_id = excluded.app_id, held_until = greatest(telegram_names.held_until,
          excluded.held_until)
        where telegram_names.app_id = excluded.app_id or telegram_names.held_until < now()
        returning 1`
  )
  if (held.length === 0) return yield* new NameTaken()
  yield* query(
    (sql) => sql`
        insert into telegram_bots (app_id, channel_id, mode, character_slug, webhook_url, status, owner_ref,
          unknown_policy, join_window_ms, drafts)
        values (${appId}, ${channelId}, 'managed',
          ${wanted.characterSlug}, ${wanted.hooksAt === null ? null : `${wanted.hooksAt}/${channelId}`},
            'awaiting_creation', ${wanted.ownerRef},
              ${wanted.unknownPolicy ?? "skip"},
                ${wanted.joinWindowMs ?? 1200}::int, ${wanted.drafts ?? false}::boolean)`
  )
  yield* query(
    (sql) => sql`
        insert into channels (app_id, channel_id, covers, kind, paced, hold_kind, endpoint, target, events, status)
        values (${appId}, ${channelId}, 'chats',
          ${TELEGRAM_MANAGED.name}, ${TELEGRAM_MANAGED.paced}, ${TELEGRAM_MANAGED.holdKind},
          ${`telegram ${channelId}`}, '{}', ${[...EVENT_TYPES]}::text[], 'paused')`
  )
  yield* query(
    (sql) => sql`insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, 0)`
  )
  const [row] = yield* query<Array<{ expires_at: Date }>>(
    (sql) => sql`
        insert into telegram_provisionings (app_id, channel_id, suggested_username, is_random, suggested_name,
          claim_hash, claim_code, expires_at)
        values (${appId}, ${channelId},
          ${wanted.suggestedUsername}, ${wanted.isRandom}, ${wanted.suggestedName}, ${hashOf(claimCode)},
          ${wanted.isShownAgain ? secrets.seal(CLAIM_CODE, [appId, channelId], Redacted.make(claimCode)) : null},
            now() + ${wanted.linkMinutes}::int * interval '1 minute')
        returning expires_at`
  )
  const bot = yield* rows.get(appId, channelId)
  if (bot === undefined || row === undefined) return yield* Effect.die(new Error("a bot just written is gone"))
  return { bot, claimCode, expiresAt: row.expires_at }
}, inTransaction)
