import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const env = Config.all({
  DELIVERY_RETENTION_DAYS: text("DELIVERY_RETENTION_DAYS", "30"),
  LOG_RETENTION_DAYS: Config.option(Config.String("LOG_RETENTION_DAYS"))
})

/** How long delivery attempts and logs are kept. */
export const readRetention = Effect.gen(function* () {
  const e = yield* env
  const days = (setting: string, text: string) => Effect.map(check.whole(setting, text, 1, 36_500), Duration.days)
  const log = check.given(e.LOG_RETENTION_DAYS)
  return {
    attempts: yield* days("DELIVERY_RETENTION_DAYS", e.DELIVERY_RETENTION_DAYS),
    log: log === null ? null : yield* days("LOG_RETENTION_DAYS", log)
  }
})
