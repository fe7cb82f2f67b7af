import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { BotApi, type BotApiError, type MenuLanguage } from "#channels/telegram/BotApi.ts"
import { type Commands, menusOf } from "#channels/telegram/commands.ts"
import type { FailureKind } from "#channels/telegram/failures.ts"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"

/** Maximum number of concurrent calls for the menus of a bot. */
const AT_ONCE = 4
/** The menu of everybody whose language has no menu of its own. */
const DEFAULT = ""

/** The failures that say nothing about the menu itself. */
const STOPS: ReadonlySet<FailureKind> = new Set(["auth", "rate_limited", "not_sent", "ambiguous"])

const hashOf = (commands: Commands) => createHash("sha256").update(JSON.stringify(commands)).digest("hex").slice(0, 16)
/** An unknown language is for Telegram to reject. */
const inLanguage = (language: string) => (language === DEFAULT ? {} : { language_code: language as MenuLanguage })

/**
 * The menus of commands of bots, one for each language and one for everybody else. What was set is recorded, so only
 * differences are written: most bots never need a call again.
 */
export const makeCommandMenus = Effect.gen(function* () {
  const [api, rows, own] = [yield* BotApi, yield* BotRows, yield* OwnTexts]

  const differences = Effect.fnUntraced(function* (bot: StoredBot) {
    const menus = menusOf(yield* rows.voiceLanguages(bot.app_id, bot.character_slug), own)
    return {
      menus,
      missing: [...menus].filter(([language, commands]) => bot.command_menus[language] !== hashOf(commands)),
      surplus: Object.keys(bot.command_menus).filter((language) => !menus.has(language))
    }
  })

  /** Sets what is missing. Telegram's failure stops it, and what is done by then is recorded. */
  const put = Effect.fnUntraced(function* (
    bot: StoredBot,
    token: Redacted.Redacted<string>,
    missing: ReadonlyArray<readonly [string, Commands]>,
    surplus: ReadonlyArray<string>
  ) {
    const standing = new Map(Object.entries(bot.command_menus))
    const set = ([language, commands]: readonly [string, Commands]) =>
      api.call(token, "setMyCommands", { commands, ...inLanguage(language) }).pipe(
        // Telegram does not know every language. It is not asked again before the menu changes.
        Effect.catchIf(
          ({ kind }: BotApiError) => !STOPS.has(kind) && language !== DEFAULT,
          ({ description }) =>
            Effect.logWarning("Telegram rejected a menu of commands", {
              bot_id: bot.channel_id,
              language,
              reason: description
            })
        ),
        Effect.tap(() => Effect.sync(() => standing.set(language, hashOf(commands))))
      )
    const remove = (language: string) =>
      Effect.tap(api.call(token, "deleteMyCommands", inLanguage(language)), () =>
        Effect.sync(() => standing.delete(language))
      )
    const ended = yield* Effect.exit(
      Effect.forEach([...missing.map(set), ...surplus.map(remove)], (call) => call, {
        concurrency: AT_ONCE,
        discard: true
      })
    )
    yield* rows.recordMenus(bot.app_id, bot.channel_id, Object.fromEntries(standing))
    yield* ended
  })

  /** Whether somebody else has changed the menu that bots show by default, as in @BotFather. */
  const isChanged = (token: Redacted.Redacted<string>, commands: Commands | undefined) =>
    Effect.map(
      api.call(token, "getMyCommands", {}),
      (now) =>
        !isDeepStrictEqual(
          now.map(({ command, description }) => ({ command, description })),
          commands
        )
    )

  return {
    /** Sets the menus that are missing, and the default one if it was changed. */
    publish: Effect.fnUntraced(function* (bot: StoredBot, token: Redacted.Redacted<string>) {
      const { menus, missing, surplus } = yield* differences(bot)
      const standing = menus.get(DEFAULT)
      const isMissing = missing.some(([language]) => language === DEFAULT)
      const again =
        !isMissing && standing !== undefined && (yield* isChanged(token, standing))
          ? [[DEFAULT, standing] as const]
          : []
      if (missing.length + surplus.length + again.length > 0) yield* put(bot, token, [...again, ...missing], surplus)
    }),
    /** Sets the menus that are missing. The texts, or the languages of the character, may have changed. */
    refresh: Effect.fnUntraced(function* (bot: StoredBot, token: Redacted.Redacted<string>) {
      const { missing, surplus } = yield* differences(bot)
      if (missing.length + surplus.length > 0) yield* put(bot, token, missing, surplus)
    })
  }
})
