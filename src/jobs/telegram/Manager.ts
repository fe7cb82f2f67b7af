import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import { BotApi, type BotApiError } from "#channels/telegram/BotApi.ts"
import { HOOKS_PATH, MANAGER } from "#channels/telegram/hooksPath.ts"
import { newBotLink } from "#channels/telegram/newBotLinks.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import type { BotPlace, MadeBot } from "#src/db/telegram/managed/MadeBot.ts"
import { Arming, TelegramUnavailable } from "./Arming.ts"
import { Introduction } from "./Introduction.ts"

/** A bot that was made a moment ago may not have its token everywhere yet. */
const UNTIL_THERE = Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 15 }))

/** How often the manager's own webhook is seen to: nobody else tells us that it was taken away. */
const ARMED_FOR_MS = 10 * 60_000

const Made = Schema.Struct({
  user: Schema.Struct({ id: Schema.Int }),
  bot: Schema.Struct({ id: Schema.Int, username: Schema.String })
})
const Told = Schema.Struct({
  update_id: Schema.Int,
  managed_bot: Schema.optionalKey(Made),
  message: Schema.optionalKey(
    Schema.Struct({
      chat: Schema.Struct({ id: Schema.Int, type: Schema.String }),
      text: Schema.optionalKey(Schema.String)
    })
  )
})
const decode = Schema.decodeUnknownOption(Told)

/** The app has let the bot go meanwhile: there is nothing left to do for it. */
class LetGo extends Schema.TaggedError<LetGo>()("LetGo", {}) {}

/** No manager bot is set up here. */
export class NoManager extends Schema.TaggedError<NoManager>()("NoManager", {}) {}

/**
 * The bot by which people make bots for us (telegram.md 1.3). It is the operator's, not an app's: it is told of each
 * bot that was made, got a new token or another owner, and can read and replace their tokens. What it is told is kept
 * first, for Telegram cannot be asked again.
 */
export class Manager extends Context.Service<
  Manager,
  {
    /** By which the links for new bots lead to it. */
    readonly username: Effect.Effect<string, NoManager | TelegramUnavailable>
    /** What Telegram shows at the manager's hook. */
    readonly secret: string | null
    /** Has what the manager is told come in here. */
    readonly arm: (hooksAt: string) => Effect.Effect<void, NoManager | TelegramUnavailable>
    /** Goes through what the manager was told, as this worker. */
    readonly work: (owner: string) => Effect.Effect<void, DatabaseError>
    /** Gives the bot a new token; the old one is dead at once. */
    readonly rotate: (bot: StoredBot) => Effect.Effect<void, NoManager | TelegramUnavailable | DatabaseError>
    /** Brings the row up to the token that Telegram has. True: it was another. */
    readonly reconcile: (bot: StoredBot) => Effect.Effect<boolean, NoManager | TelegramUnavailable | DatabaseError>
    /** Sees to it that no copy of the token stays good. */
    readonly letGo: (bot: StoredBot) => Effect.Effect<void>
  }
>()("src/jobs/telegram/Manager") {
  static readonly layer = (options: {
    readonly token: Redacted.Redacted<string> | null
    readonly polling: boolean
    readonly publicUrl: string | null
  }) =>
    Layer.effect(
      Manager,
      Effect.gen(function* () {
        const api = yield* BotApi
        const rows = yield* BotRows
        const arming = yield* Arming
        const requests = yield* Provisionings
        const introduction = yield* Introduction
        const updates = yield* ManagerUpdates

        const { token } = options
        const secret =
          token === null
            ? null
            : createHmac("sha256", Redacted.value(token)).update("the manager's hook").digest("base64url")
        const toUnavailable = ({ description }: BotApiError) => new TelegramUnavailable({ description })
        const own = token === null ? new NoManager() : Effect.succeed(token)
        const call = <A>(ask: (token: Redacted.Redacted<string>) => Effect.Effect<A, BotApiError>) =>
          Effect.flatMap(own, (token) => Effect.mapError(ask(token), toUnavailable))

        let known: string | null = null
        const username = Effect.gen(function* () {
          known ??= (yield* call((token) => api.call(token, "getMe", undefined))).username
          return known
        })
        let armed = { at: "", until: 0 }
        const arm = Effect.fnUntraced(function* (hooksAt: string) {
          if (secret === null) return yield* new NoManager()
          const now = yield* Clock.currentTimeMillis
          if (armed.at === hooksAt && now < armed.until) return
          yield* username
          // The same once more is nothing to Telegram.
          if (!options.polling)
            yield* call((token) =>
              api.call(token, "setWebhook", {
                url: `${hooksAt}/${MANAGER}`,
                secret_token: secret,
                allowed_updates: ["message", "managed_bot"]
              })
            )
          armed = { at: hooksAt, until: now + ARMED_FOR_MS }
        })
        const stayArmed =
          secret === null || options.publicUrl === null
            ? Effect.void
            : arm(`${options.publicUrl}${HOOKS_PATH}`).pipe(
                Effect.catch((error) =>
                  Effect.logWarning("the manager bot's webhook could not be set", { reason: error.message })
                )
              )

        const tokenOf = (userId: number) =>
          Effect.map(
            call((token) => api.call(token, "getManagedBotToken", { user_id: userId })),
            (text) => Redacted.make(text, { label: "bot token" })
          )
        const identify = (next: Redacted.Redacted<string>) =>
          arming
            .identify(next)
            .pipe(
              Effect.catchTag(
                "TokenRejected",
                () => new TelegramUnavailable({ description: "the token is not good yet" })
              )
            )
        const place = ({ app_id: appId, channel_id: channelId }: StoredBot): BotPlace => ({ appId, channelId })
        const again = Effect.fnUntraced(function* ({ appId, channelId }: BotPlace) {
          return (yield* rows.get(appId, channelId)) ?? (yield* new LetGo())
        })
        const setUp = (at: BotPlace) =>
          Effect.flatMap(again(at), (bot) => arming.arm(bot, { hooksAt: null, dropPending: false })).pipe(
            Effect.catchTag("TokenRejected", () => Effect.void)
          )

        const take = Effect.fnUntraced(function* (bot: StoredBot, next: Redacted.Redacted<string>, byOwner: boolean) {
          yield* rows.replaceToken(bot.app_id, bot.channel_id, next, yield* identify(next), byOwner)
          if (bot.status !== "suspended") yield* setUp(place(bot))
        })
        const reconcile = Effect.fnUntraced(function* (bot: StoredBot) {
          if (bot.user_id === null) return false
          const [theirs, ours] = [yield* tokenOf(bot.user_id), yield* Effect.orDie(rows.token(bot))]
          if (ours !== undefined && Redacted.value(theirs) === Redacted.value(ours)) {
            yield* requests.endRotation(place(bot))
            return false
          }
          // Not by us, so the owner has revoked the one before.
          yield* take(bot, theirs, bot.rotating_since === null)
          return true
        })
        const rotate = Effect.fnUntraced(function* (bot: StoredBot) {
          yield* requests.beginRotation(place(bot))
          const next = yield* call((token) => api.call(token, "replaceManagedBotToken", { user_id: bot.user_id ?? 0 }))
          yield* take(bot, Redacted.make(next, { label: "bot token" }), false)
        })

        const changed = Effect.fnUntraced(function* (at: BotPlace, made: MadeBot) {
          const bot = yield* again(at)
          if (bot.mode !== "managed") return
          if (bot.owner_id !== made.ownerId) yield* requests.setOwner(at, made.ownerId)
          yield* reconcile(yield* again(at))
        })
        /** False: nobody waits for it, or not any more. */
        const made = Effect.fnUntraced(
          function* (bot: MadeBot) {
            const bound = yield* requests.bound(bot.userId)
            if (bound !== undefined) return yield* Effect.as(changed(bound, bot), true)
            const at = yield* requests.match(bot)
            if (at === undefined)
              return yield* Effect.as(
                Effect.logWarning("a managed bot fits no request", { username: bot.username }),
                false
              )
            const token = yield* tokenOf(bot.userId).pipe(
              Effect.retry({ schedule: UNTIL_THERE, while: (error) => error._tag === "TelegramUnavailable" })
            )
            yield* requests.adopt(at, yield* identify(token), bot.ownerId, token)
            yield* setUp(at)
            yield* introduction.introduce(yield* again(at))
            return true
          },
          Effect.catchTag("LetGo", () => Effect.succeed(false))
        )

        const answer = Effect.fnUntraced(function* (chatId: number, text: string) {
          const [, code = ""] = /^\/start ([\w-]{1,64})$/.exec(text) ?? []
          if (code === "") return
          const claim = yield* requests.claim(code, chatId)
          const isMade = claim?.made !== undefined && (yield* made(claim.made))
          const isOpen = claim !== undefined && !isMade
          const said =
            claim === undefined
              ? "That link has been used or has run out."
              : isOpen
                ? "Now make your bot, with whatever name you like."
                : "Your bot is being set up."
          const button = isOpen
            ? {
                reply_markup: {
                  inline_keyboard: [
                    [{ text: "Create the bot", url: newBotLink(yield* username, claim.username, claim.name) }]
                  ]
                }
              }
            : {}
          yield* Effect.ignore(
            call((token) => api.call(token, "sendMessage", { chat_id: chatId, text: said, ...button }))
          )
        })

        const handle = Effect.fnUntraced(function* (raw: unknown) {
          const { managed_bot: bot, message } = Option.getOrElse(decode(raw), (): typeof Told.Type => ({
            update_id: 0
          }))
          if (bot !== undefined) yield* made({ userId: bot.bot.id, username: bot.bot.username, ownerId: bot.user.id })
          if (message?.text !== undefined && message.chat.type === "private")
            yield* answer(message.chat.id, message.text)
        })
        const work = Effect.fnUntraced(function* (owner: string) {
          for (let update = yield* updates.next(owner); update !== undefined; update = yield* updates.next(owner)) {
            const { update_id: id, raw } = update
            yield* handle(raw).pipe(
              Effect.andThen(updates.done(id)),
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause)
                  ? Effect.interrupt
                  : Effect.logWarning("what the manager was told could not be done yet", cause).pipe(
                      Effect.andThen(updates.failed(id, "failed"))
                    )
              )
            )
          }
          yield* requests.expire
          yield* stayArmed
        })

        const asked = <A, E>(effect: Effect.Effect<A, E | LetGo>) =>
          Effect.catchIf(
            effect,
            (error): error is LetGo => error instanceof LetGo,
            () => new TelegramUnavailable({ description: "the bot has just been let go" })
          )
        return Manager.of({
          username,
          secret,
          arm,
          work,
          rotate: (bot) => asked(rotate(bot)),
          reconcile: (bot) => asked(reconcile(bot)),
          letGo: Effect.fnUntraced(
            function* (bot) {
              const { user_id } = bot
              if (user_id === null) return
              yield* requests.beginRotation(place(bot))
              yield* call((token) => api.call(token, "replaceManagedBotToken", { user_id }))
            },
            (effect) => Effect.ignore(effect)
          )
        })
      })
    )
}
