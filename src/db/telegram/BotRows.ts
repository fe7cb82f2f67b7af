import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { Alignment } from "#src/db/delivery/Alignment.ts"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import type { SecretUnreadable } from "#src/db/postgres/secretsCipher.ts"
import { voiceLanguages } from "./chatLanguages.ts"
import { recordIdentity, recordMenus, recordPhoto, recordProfile, recordWebhook } from "./bots/botRecords.ts"
import { dueProbes, recordConflict, recordProbe } from "./bots/botProbes.ts"
import { changeStatus, type StatusChange } from "./bots/botStatus.ts"
import { expectSecret, openToken, replaceToken } from "./bots/botTokens.ts"
import { type BotSettings, configureBot } from "./bots/configureBot.ts"
import { type BotTaken, createBot, type NewBot } from "./bots/createBot.ts"
import { detachBot } from "./bots/detachBot.ts"
import { getBot, listBots } from "./bots/readBots.ts"
import type { BotHealth, BotIdentity, StoredBot } from "./bots/StoredBot.ts"

/**
 * Telegram bots as rows: one in channels and one in telegram_bots, with the same id. Undefined: the app has no such
 * bot.
 */
export class BotRows extends Context.Service<
  BotRows,
  {
    readonly create: (appId: string, bot: NewBot) => Effect.Effect<StoredBot, BotTaken | DatabaseError>
    readonly get: (appId: string, channelId: string) => Effect.Effect<StoredBot | undefined, DatabaseError>
    readonly list: (
      appId: string,
      filter: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredBot>, DatabaseError>
    readonly configure: (
      appId: string,
      channelId: string,
      settings: BotSettings
    ) => Effect.Effect<StoredBot | undefined, DatabaseError>
    readonly token: (
      bot: StoredBot
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, DatabaseError | SecretUnreadable>
    /**
     * Sets a new token of the same bot, which is used for everything sent from now on. A revoked bot then needs a new
     * webhook. `byOwner`: the owner changed it, so the app is notified.
     */
    readonly replaceToken: (
      appId: string,
      channelId: string,
      token: Redacted.Redacted<string>,
      identity: BotIdentity,
      byOwner?: boolean
    ) => Effect.Effect<void, DatabaseError>
    /**
     * Accepts a new webhook secret. The previous one stays valid until the webhook is recorded under the new one, and
     * for ten minutes after that.
     */
    readonly expectSecret: (appId: string, channelId: string, hash: Uint8Array) => Effect.Effect<void, DatabaseError>
    /**
     * Sets the bot's status, unless its current one is not in `from`. Its lanes are started or stopped accordingly. If
     * the status or reason is new, the app is notified.
     */
    readonly changeStatus: (
      appId: string,
      channelId: string,
      change: StatusChange
    ) => Effect.Effect<void, DatabaseError>
    /**
     * Records the webhook's URL and secret. If it is the latest secret, the change of secrets is complete. Null: there
     * is no webhook.
     */
    readonly recordWebhook: (
      appId: string,
      channelId: string,
      url: string | null,
      secretHash: Uint8Array | null
    ) => Effect.Effect<void, DatabaseError>
    /** What its owner may have changed in @BotFather. */
    readonly recordIdentity: (
      appId: string,
      channelId: string,
      identity: BotIdentity
    ) => Effect.Effect<void, DatabaseError>
    /** Records that its profile is complete, or in how many seconds to set it again. */
    readonly recordProfile: (
      appId: string,
      channelId: string,
      dueInSeconds: number | null
    ) => Effect.Effect<void, DatabaseError>
    /** Records which menus of commands the bot has. */
    readonly recordMenus: (
      appId: string,
      channelId: string,
      menus: StoredBot["command_menus"]
    ) => Effect.Effect<void, DatabaseError>
    /** The languages of the voice of a character. */
    readonly voiceLanguages: (appId: string, slug: string) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    readonly recordPhoto: (appId: string, channelId: string, sha256: string) => Effect.Effect<void, DatabaseError>
    readonly recordProbe: (
      appId: string,
      channelId: string,
      health: BotHealth,
      updatesWaiting: number | null,
      nextInSeconds: number
    ) => Effect.Effect<void, DatabaseError>
    /** Records that another program polls the bot. */
    readonly recordConflict: (appId: string, channelId: string, at: Date) => Effect.Effect<void, DatabaseError>
    /** Leases bots that are due for a probe, for one minute. */
    readonly dueProbes: Effect.Effect<ReadonlyArray<StoredBot>, DatabaseError>
    /**
     * Ends the bot permanently: no token, no lanes, no chats. The row stays, and the app is notified of the reason.
     * Null: there is no app to notify. False: it had already ended.
     */
    readonly detach: (
      appId: string,
      channelId: string,
      reason: "deleted" | "link_expired" | null
    ) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/telegram/BotRows") {
  static readonly layer = Layer.effect(
    BotRows,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Database | Alignment | Secrets | LogSignals>())
      return BotRows.of({
        create: (...args) => provide(createBot(...args)),
        get: (...args) => provide(getBot(...args)),
        list: (...args) => provide(listBots(...args)),
        configure: (...args) => provide(configureBot(...args)),
        token: (bot) => provide(openToken(bot)),
        replaceToken: (...args) => provide(replaceToken(...args)),
        expectSecret: (...args) => provide(expectSecret(...args)),
        changeStatus: (...args) => provide(changeStatus(...args)),
        recordWebhook: (...args) => provide(recordWebhook(...args)),
        recordIdentity: (...args) => provide(recordIdentity(...args)),
        recordProfile: (...args) => provide(recordProfile(...args)),
        recordMenus: (...args) => provide(recordMenus(...args)),
        voiceLanguages: (...args) => provide(voiceLanguages(...args)),
        recordPhoto: (...args) => provide(recordPhoto(...args)),
        recordProbe: (...args) => provide(recordProbe(...args)),
        recordConflict: (...args) => provide(recordConflict(...args)),
        dueProbes: provide(dueProbes),
        detach: (...args) => provide(detachBot(...args))
      })
    })
  )
}
