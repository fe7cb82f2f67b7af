import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { checkServiceTexts } from "./serviceTexts.ts"
import { checkSafetyTexts } from "./safetyTexts.ts"
import { text } from "./text.ts"

const env = Config.all({
  TURN_DEADLINE_FAST_SECONDS: text("TURN_DEADLINE_FAST_SECONDS", "45"),
  TURN_DEADLINE_DEEP_SECONDS: text("TURN_DEADLINE_DEEP_SECONDS", "90"),
  SAFETY_TEXTS: Config.option(Config.String("SAFETY_TEXTS")),
  SERVICE_TEXTS: Config.option(Config.String("SERVICE_TEXTS"))
})

export const readTurns = Effect.gen(function* () {
  const e = yield* env
  return {
    /** The operator's safety texts, which override the built-in ones. */
    safetyTexts: yield* checkSafetyTexts("SAFETY_TEXTS", e.SAFETY_TEXTS),
    /** The operator's own texts of the service, which override the built-in ones. */
    ownTexts: yield* checkServiceTexts("SERVICE_TEXTS", e.SERVICE_TEXTS),
    deadlines: {
      fast: yield* check.seconds("TURN_DEADLINE_FAST_SECONDS", e.TURN_DEADLINE_FAST_SECONDS),
      deep: yield* check.seconds("TURN_DEADLINE_DEEP_SECONDS", e.TURN_DEADLINE_DEEP_SECONDS)
    }
  }
})
