import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import type { BotRef } from "#src/db/telegram/managed/CreatedBot.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { WebhookRegistrar, TelegramUnavailable } from "../WebhookRegistrar.ts"
import type { ManagerBot } from "./ManagerBot.ts"

/** The app has detached the bot in the meantime, so there is nothing left to do. */
export class BotReleased extends Schema.TaggedError<BotReleased>()("BotReleased", {}) {}

/** Reads and replaces the tokens of the bots that were created through the manager bot. */
export const makeManagedTokens = Effect.fnUntraced(function* ({ call }: ManagerBot) {
  const [api, rows, registrar, requests] = [
    yield* BotApi,
    yield* BotRows,
    yield* WebhookRegistrar,
    yield* Provisionings
  ]

  const tokenOf = (userId: number) =>
    Effect.map(
      call((token) => api.call(token, "getManagedBotToken", { user_id: userId })),
      (text) => Redacted.make(text, { label: "bot token" })
    )
  const identify = (next: Redacted.Redacted<string>) =>
    registrar
      .identify(next)
      .pipe(
        Effect.catchTag("TokenRejected", () => new TelegramUnavailable({ description: "the token is not good yet" }))
      )
  const refOf = ({ app_id: appId, channel_id: channelId }: StoredBot): BotRef => ({ appId, channelId })
  const again = Effect.fnUntraced(function* ({ appId, channelId }: BotRef) {
    return (yield* rows.get(appId, channelId)) ?? (yield* new BotReleased())
  })
  const setUp = (at: BotRef) =>
    Effect.flatMap(again(at), (bot) => registrar.register(bot, { hooksAt: null, dropPending: false })).pipe(
      Effect.catchTag("TokenRejected", () => Effect.void)
    )

  const take = Effect.fnUntraced(function* (bot: StoredBot, next: Redacted.Redacted<string>, byOwner: boolean) {
    yield* rows.replaceToken(bot.app_id, bot.channel_id, next, yield* identify(next), byOwner)
    if (bot.status !== "suspended") yield* setUp(refOf(bot))
  })
  const reconcile = Effect.fnUntraced(function* (bot: StoredBot) {
    if (bot.user_id === null) return false
    const [theirs, ours] = [yield* tokenOf(bot.user_id), yield* Effect.orDie(rows.token(bot))]
    if (ours !== undefined && Redacted.value(theirs) === Redacted.value(ours)) {
      yield* requests.endRotation(refOf(bot))
      return false
    }
    // If we did not rotate it, the owner has revoked the previous token.
    yield* take(bot, theirs, bot.rotating_since === null)
    return true
  })
  const rotate = Effect.fnUntraced(function* (bot: StoredBot) {
    yield* requests.beginRotation(refOf(bot))
    const next = yield* call((token) => api.call(token, "replaceManagedBotToken", { user_id: bot.user_id ?? 0 }))
    yield* take(bot, Redacted.make(next, { label: "bot token" }), false)
  })

  const release = Effect.fnUntraced(
    function* (bot: StoredBot) {
      const { user_id } = bot
      if (user_id === null) return
      yield* requests.beginRotation(refOf(bot))
      yield* call((token) => api.call(token, "replaceManagedBotToken", { user_id }))
    },
    (effect) => Effect.ignore(effect)
  )

  return { tokenOf, identify, again, setUp, reconcile, rotate, release }
})
export type ManagedTokens = Effect.Success<ReturnType<typeof makeManagedTokens>>
