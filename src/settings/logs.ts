import * as Effect from "effect/Effect"
import * as Config from "effect/Config"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const LEVELS = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const env = Config.all({
  LOG_LEVEL: text("LOG_LEVEL", "info"),
  LOG_FORMAT: text("LOG_FORMAT", "json")
})

export const readLogs = Effect.gen(function* () {
  const e = yield* env
  const level = yield* check.oneOf("LOG_LEVEL", e.LOG_LEVEL, ["debug", "info", "warn", "error"])
  return {
    level: LEVELS[level],
    format: yield* check.oneOf("LOG_FORMAT", e.LOG_FORMAT, ["json", "pretty"])
  }
})
