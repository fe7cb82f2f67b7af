import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHash, randomBytes } from "node:crypto"
import { BotApi, type BotApiError } from "#channels/telegram/BotApi.ts"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { BotIdentity, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * The kinds of updates that bots receive. The complete list is sent each time, because Telegram keeps the previous
 * setting for a missing list.
 */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "stopped_message_generation",
  "pre_checkout_query",
  "purchased_paid_media",
  "subscription"
] as const
const MAX_CONNECTIONS = 40
/** Telegram accepts one setWebhook per second and bot. An earlier one waits this long. */
const SET_AGAIN_AFTER = "1100 millis"

/** The token was revoked or was never valid. */
export class TokenRejected extends Schema.TaggedError<TokenRejected>()("TokenRejected", {}) {}
/** Another system's webhook is set for this bot. */
export class ForeignWebhook extends Schema.TaggedError<ForeignWebhook>()("ForeignWebhook", {}) {}
/** Telegram gave no usable answer. */
export class TelegramUnavailable extends Schema.TaggedError<TelegramUnavailable>()("TelegramUnavailable", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

const mapRejection = <A, R>(
  call: Effect.Effect<A, BotApiError, R>
): Effect.Effect<A, TokenRejected | TelegramUnavailable, R> =>
  Effect.mapError(call, (error) =>
    error.kind === "auth" ? new TokenRejected() : new TelegramUnavailable({ description: error.description })
  )

/** Registers bots so that their updates reach this server, and unregisters them. */
export class WebhookRegistrar extends Context.Service<
  WebhookRegistrar,
  {
    /**
     * The webhook URL for the bot's updates. Null: there is none, because they are polled or no public URL is
     * configured.
     */
    readonly webhookUrlOf: (bot: StoredBot) => string | null
    /** The bot that this token belongs to. */
    readonly identify: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<BotIdentity, TokenRejected | TelegramUnavailable>
    /** Fails if another system receives the bot's updates. `hooksAt`: the prefix of our own URLs. */
    readonly checkFree: (
      token: Redacted.Redacted<string>,
      hooksAt: string
    ) => Effect.Effect<void, TokenRejected | TelegramUnavailable | ForeignWebhook>
    /**
     * Sets the webhook with a new secret, which is stored in the row before Telegram gets it. Activates the bot once
     * the webhook is confirmed. `hooksAt`: the prefix of our URLs. Null: use `webhookUrlOf`.
     */
    readonly register: (
      bot: StoredBot,
      options: { readonly hooksAt: string | null; readonly dropPending: boolean }
    ) => Effect.Effect<void, TokenRejected | TelegramUnavailable | DatabaseError>
    /** Removes the webhook if possible. */
    readonly unregister: (bot: StoredBot) => Effect.Effect<void>
  }
>()("src/jobs/telegram/WebhookRegistrar") {
  static readonly layer = (options: { readonly polling: boolean; readonly publicUrl: string | null }) =>
    Layer.effect(
      WebhookRegistrar,
      Effect.gen(function* () {
        const api = yield* BotApi
        const rows = yield* BotRows

        const webhookUrlOf = ({ channel_id, webhook_url }: StoredBot): string | null =>
          options.polling
            ? null
            : options.publicUrl === null
              ? webhook_url
              : `${options.publicUrl}${HOOKS_PATH}/${channel_id}`

        const identify = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
          const me = yield* mapRejection(api.call(token, "getMe", undefined))
          return { userId: me.id, username: me.username, info: me }
        })
        const checkFree = Effect.fnUntraced(function* (token: Redacted.Redacted<string>, hooksAt: string) {
          const { url = "" } = yield* mapRejection(api.call(token, "getWebhookInfo", undefined))
          if (url !== "" && !url.startsWith(`${hooksAt}/`)) return yield* new ForeignWebhook()
        })

        const set = Effect.fnUntraced(function* (
          token: Redacted.Redacted<string>,
          url: string,
          secret: string,
          dropPending: boolean
        ) {
          const call = api.call(token, "setWebhook", {
            url,
            secret_token: secret,
            max_connections: MAX_CONNECTIONS,
            allowed_updates: [...ALLOWED_UPDATES],
            drop_pending_updates: dropPending
          })
          yield* call.pipe(
            Effect.catchIf(
              (error) => error.kind === "rate_limited",
              () => Effect.andThen(Effect.sleep(SET_AGAIN_AFTER), call)
            ),
            mapRejection
          )
          const info = yield* mapRejection(api.call(token, "getWebhookInfo", undefined))
          if (info.url !== url) return yield* new TelegramUnavailable({ description: "the webhook was not set" })
        })

        const register = Effect.fnUntraced(
          function* (
            bot: StoredBot,
            { hooksAt, dropPending }: { readonly hooksAt: string | null; readonly dropPending: boolean }
          ) {
            const { app_id: appId, channel_id: channelId } = bot
            const token = yield* rows
              .token(bot)
              .pipe(Effect.catchTag("SecretUnreadable", () => Effect.die(new Error("a bot's token cannot be opened"))))
            if (token === undefined) return yield* new TokenRejected()
            if (options.polling) {
              yield* mapRejection(api.call(token, "deleteWebhook", { drop_pending_updates: dropPending }))
              yield* rows.recordWebhook(appId, channelId, null, null)
            } else {
              const url = hooksAt === null ? webhookUrlOf(bot) : `${hooksAt}/${channelId}`
              if (url === null) return yield* new TelegramUnavailable({ description: "no address for the webhook" })
              const secret = randomBytes(32).toString("base64url")
              const secretHash = createHash("sha256").update(secret).digest()
              yield* rows.expectSecret(appId, channelId, secretHash)
              yield* set(token, url, secret, dropPending)
              yield* rows.recordWebhook(appId, channelId, url, secretHash)
            }
            yield* rows.changeStatus(appId, channelId, {
              status: "active",
              reason: null,
              from: ["pending", "active", "degraded", "revoked"],
              event: { type: "bot.active", payload: { bot_id: channelId, username: bot.username } }
            })
          },
          (effect, bot) =>
            Effect.tapError(effect, (error) => {
              if (error._tag === "DatabaseError") return Effect.void
              const reason = error._tag === "TokenRejected" ? "token_rejected" : "webhook_not_set"
              const status =
                error._tag === "TokenRejected"
                  ? ("revoked" as const)
                  : bot.status === "pending"
                    ? ("pending" as const)
                    : ("degraded" as const)
              const event =
                status === "pending"
                  ? null
                  : ({ type: `bot.${status}`, payload: { bot_id: bot.channel_id, reason } } as const)
              return Effect.ignore(
                rows.changeStatus(bot.app_id, bot.channel_id, {
                  status,
                  reason,
                  from: ["pending", "active", "degraded"],
                  tokenVersion: bot.token_version,
                  event
                })
              )
            })
        )

        return WebhookRegistrar.of({
          webhookUrlOf,
          identify,
          checkFree,
          register,
          unregister: Effect.fnUntraced(
            function* (bot: StoredBot) {
              const token = yield* rows.token(bot)
              if (token !== undefined) yield* api.call(token, "deleteWebhook", { drop_pending_updates: true })
            },
            Effect.timeout("10 seconds"),
            (effect) => Effect.ignore(effect)
          )
        })
      })
    )
}
