import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { BotApi, type BotApiError } from "#channels/telegram/BotApi.ts"
import { fit } from "#channels/telegram/fit.ts"
import { fillMacros } from "#pipeline/domain/macros.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { Characters } from "#src/db/character/Characters.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { makeCommandMenus } from "./commandMenus.ts"
import { TelegramUnavailable, TokenRejected } from "./WebhookRegistrar.ts"

/** Telegram's length limits. */
const MOST = { name: 64, description: 512, short_description: 120 }
/** Pixels per side, the largest size that Telegram keeps. */
const PHOTO_SIDE = 640
/** The delay if Telegram names none. */
const PAUSE_SECONDS = 60
/** When to set an incomplete profile again: Telegram could not be reached, or rejected a part. */
const AGAIN_SECONDS = { unavailable: 300, rejected: 3600 }

export type ProfilePart = "name" | "description" | "short_description" | "commands" | "photo"

/** The result of setting a profile. It is complete if there is nothing to wait for and nothing was rejected. */
export interface ProfileResult {
  /** Telegram accepts a part only after this delay. */
  readonly waitSeconds: number | null
  readonly rejected: ProfilePart | null
}

/**
 * Sets what people see of a bot before they write: name, descriptions, commands and picture, from the current
 * character. What the character lacks (a bio, a picture) stays as it is. Only differences are written, because Telegram
 * makes frequent name changes wait for hours. Telegram does not say which picture is set, so the picture is set unless
 * that was done since the given time. Without a time it stays as it is. Each part may be set twice, and a part that has
 * to wait does not delay the others.
 */
export class ProfilePublisher extends Context.Service<
  ProfilePublisher,
  {
    readonly publish: (
      bot: StoredBot,
      options: { readonly withName: boolean; readonly photoSince: Date | null }
    ) => Effect.Effect<ProfileResult, TokenRejected | TelegramUnavailable | DatabaseError>
    /**
     * The first profile of a new bot, which keeps the name that a person chose. A bot that an app brings also keeps its
     * picture. If it fails, the bot is degraded and the probe tries again.
     */
    readonly introduce: (bot: StoredBot) => Effect.Effect<void, DatabaseError>
    /**
     * Sets the menus of commands again whose texts have changed since. A failure is no problem of the bot: the next
     * probe goes on with it.
     */
    readonly refreshMenus: (bot: StoredBot, token: Redacted.Redacted<string>) => Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/telegram/ProfilePublisher") {
  static readonly layer = Layer.effect(
    ProfilePublisher,
    Effect.gen(function* () {
      const api = yield* BotApi
      const rows = yield* BotRows
      const characters = yield* Characters
      const assets = yield* Assets
      const objects = yield* StoredObjects
      const pictures = yield* Pictures
      const menus = yield* makeCommandMenus

      const textsOf = Effect.fnUntraced(function* (bot: StoredBot) {
        const profile = (yield* characters.get(bot.app_id, bot.character_slug))?.profile ?? {}
        const name = String(profile["display_name"] ?? "").trim()
        return { name, bio: fillMacros(String(profile["visible_bio"] ?? ""), { character: name, user: null }).trim() }
      })

      const unless = (stands: Effect.Effect<boolean, BotApiError>, put: Effect.Effect<unknown, BotApiError>) =>
        Effect.flatMap(stands, (is) => (is ? Effect.void : Effect.asVoid(put)))
      const putText = {
        name: (token: Redacted.Redacted<string>, name: string) =>
          unless(
            Effect.map(api.call(token, "getMyName", {}), (now) => now.name === name),
            api.call(token, "setMyName", { name })
          ),
        description: (token: Redacted.Redacted<string>, description: string) =>
          unless(
            Effect.map(api.call(token, "getMyDescription", {}), (now) => now.description === description),
            api.call(token, "setMyDescription", { description })
          ),
        short_description: (token: Redacted.Redacted<string>, text: string) =>
          unless(
            Effect.map(api.call(token, "getMyShortDescription", {}), (now) => now.short_description === text),
            api.call(token, "setMyShortDescription", { short_description: text })
          )
      }
      const putPhoto = Effect.fnUntraced(
        function* (bot: StoredBot, token: Redacted.Redacted<string>, since: Date) {
          const face = yield* assets.primaryPicture(bot.app_id, bot.character_slug)
          if (
            face === undefined ||
            (face.sha256 === bot.photo_sha256 && bot.photo_put_at !== null && bot.photo_put_at >= since)
          )
            return
          const content = yield* objects.get(face.object_key)
          if (content === null) return
          yield* api.setProfilePhoto(token, yield* pictures.square(content, PHOTO_SIDE))
          yield* rows.recordPhoto(bot.app_id, bot.channel_id, face.sha256)
        },
        Effect.catchTag("StorageError", ({ message }) => Effect.fail(new TelegramUnavailable({ description: message })))
      )

      const publish = Effect.fnUntraced(function* (
        bot: StoredBot,
        { withName, photoSince }: { readonly withName: boolean; readonly photoSince: Date | null }
      ) {
        const token = yield* Effect.catchTag(rows.token(bot), "SecretUnreadable", () =>
          Effect.die(new Error("a bot's token cannot be opened"))
        )
        if (token === undefined) return yield* new TokenRejected()
        const became: { waitSeconds: number | null; rejected: ProfilePart | null } = {
          waitSeconds: null,
          rejected: null
        }
        const reject = (part: ProfilePart, reason: string) =>
          Effect.suspend(() => {
            became.rejected ??= part
            return Effect.logWarning("Telegram rejected a part of a bot's profile", {
              bot_id: bot.channel_id,
              part,
              reason
            })
          })
        const refused =
          (part: ProfilePart) =>
          ({
            kind,
            description,
            retryAfterSeconds
          }: BotApiError): Effect.Effect<void, TokenRejected | TelegramUnavailable> => {
            switch (kind) {
              case "rate_limited":
                return Effect.sync(() => {
                  became.waitSeconds = Math.max(became.waitSeconds ?? 0, retryAfterSeconds ?? PAUSE_SECONDS)
                })
              case "auth":
                return Effect.fail(new TokenRejected())
              case "not_sent":
              case "ambiguous":
                return Effect.fail(new TelegramUnavailable({ description }))
              default:
                return reject(part, description)
            }
          }
        const { name, bio } = yield* textsOf(bot)
        yield* Effect.catchTag(menus.publish(bot, token), "BotApiError", refused("commands"))
        for (const part of ["description", "short_description"] as const) {
          if (bio !== "")
            yield* Effect.catchTag(putText[part](token, fit(bio, MOST[part])), "BotApiError", refused(part))
        }
        if (photoSince !== null)
          yield* putPhoto(bot, token, photoSince).pipe(
            Effect.catchTags({
              BotApiError: refused("photo"),
              PictureRefused: ({ message }) => reject("photo", message)
            })
          )
        if (withName && name !== "")
          yield* Effect.catchTag(putText.name(token, fit(name, MOST.name)), "BotApiError", refused("name"))
        if (became.waitSeconds === null && became.rejected === null && bot.profile_due_at !== null) yield* stands(bot)
        return became
      })

      const stands = Effect.fnUntraced(function* ({ app_id: appId, channel_id: channelId, status, reason }: StoredBot) {
        yield* rows.recordProfile(appId, channelId, null)
        if (status !== "degraded" || reason !== "profile_incomplete") return
        yield* rows.changeStatus(appId, channelId, {
          status: "active",
          reason: null,
          from: ["degraded"],
          event: { type: "bot.recovered", payload: { bot_id: channelId } }
        })
      })
      const isIncomplete = Effect.fnUntraced(function* (
        { app_id: appId, channel_id: channelId }: StoredBot,
        againSeconds: number
      ) {
        yield* rows.recordProfile(appId, channelId, againSeconds)
        const reason = "profile_incomplete"
        yield* rows.changeStatus(appId, channelId, {
          status: "degraded",
          reason,
          from: ["active", "degraded"],
          event: { type: "bot.degraded", payload: { bot_id: channelId, reason } }
        })
      })

      return ProfilePublisher.of({
        publish,
        refreshMenus: (bot, token) => Effect.catchTag(menus.refresh(bot, token), "BotApiError", () => Effect.void),
        introduce: (bot) =>
          publish(bot, { withName: false, photoSince: bot.mode === "managed" ? bot.created_at : null }).pipe(
            Effect.flatMap(({ waitSeconds, rejected }) => {
              const again = waitSeconds ?? (rejected === null ? null : AGAIN_SECONDS.rejected)
              return again === null ? Effect.void : isIncomplete(bot, again)
            }),
            Effect.catchTags({
              TokenRejected: () => Effect.void,
              TelegramUnavailable: () => isIncomplete(bot, AGAIN_SECONDS.unavailable)
            })
          )
      })
    })
  )
}
