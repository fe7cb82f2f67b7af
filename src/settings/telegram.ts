import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const env = Config.all({
  TELEGRAM_API_ROOT: text("TELEGRAM_API_ROOT", "https://api.telegram.org"),
  TELEGRAM_MANAGER_TOKEN: Config.option(Config.Redacted("TELEGRAM_MANAGER_TOKEN")),
  TELEGRAM_MODE: text("TELEGRAM_MODE", "webhook")
})

export const readTelegram = Effect.gen(function* () {
  const e = yield* env
  return {
    apiRoot: yield* check.url("TELEGRAM_API_ROOT", e.TELEGRAM_API_ROOT, ["http:", "https:"]),
    managerToken: yield* check.token(
      "TELEGRAM_MANAGER_TOKEN",
      e.TELEGRAM_MANAGER_TOKEN,
      /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/,
      "must be a bot token as @BotFather gives it"
    ),
    mode: yield* check.oneOf("TELEGRAM_MODE", e.TELEGRAM_MODE, ["webhook", "polling"])
  }
})
