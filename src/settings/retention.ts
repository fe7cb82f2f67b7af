import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const env = Config.all({
  DELIVERY_RETENTION_DAYS: text("DELIVERY_RETENTION_DAYS", "30"),
  LOG_RETENTION_DAYS: Config.option(Config.String("LOG_RETENTION_DAYS")),
  TURN_RETENTION_DAYS: text("TURN_RETENTION_DAYS", "0"),
  EVAL_RETENTION_DAYS: text("EVAL_RETENTION_DAYS", "0"),
  BATCH_RETENTION_DAYS: text("BATCH_RETENTION_DAYS", "0"),
  IMPORT_RETENTION_DAYS: text("IMPORT_RETENTION_DAYS", "0")
})

/** Turns look a few days back, for the messages that a character wrote first and for what was dangerous. */
const MIN_TURN_DAYS = 7

/** How long what grows is kept. Null: forever. */
export const readRetention = Effect.gen(function* () {
  const e = yield* env
  const days = (setting: string, text: string) => Effect.map(check.whole(setting, text, 1, 36_500), Duration.days)
  /** 0: forever. */
  const orForever = (setting: string, text: string, from: number) =>
    /^0{1,6}$/.test(text)
      ? Effect.succeed(null)
      : check.need(
          setting,
          /^\d{1,6}$/.test(text) && Number(text) >= from && Number(text) <= 36_500 ? Duration.days(Number(text)) : null,
          `must be 0 or a whole number from ${from} to 36500`
        )
  const log = check.given(e.LOG_RETENTION_DAYS)
  return {
    attempts: yield* days("DELIVERY_RETENTION_DAYS", e.DELIVERY_RETENTION_DAYS),
    log: log === null ? null : yield* days("LOG_RETENTION_DAYS", log),
    turns: yield* orForever("TURN_RETENTION_DAYS", e.TURN_RETENTION_DAYS, MIN_TURN_DAYS),
    evals: yield* orForever("EVAL_RETENTION_DAYS", e.EVAL_RETENTION_DAYS, 1),
    batches: yield* orForever("BATCH_RETENTION_DAYS", e.BATCH_RETENTION_DAYS, 1),
    imports: yield* orForever("IMPORT_RETENTION_DAYS", e.IMPORT_RETENTION_DAYS, 1)
  }
})
