import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as check from "./checks.ts"
import { text } from "./text.ts"

const env = Config.all({
  DEMO_SANDBOX: Config.option(Config.String("DEMO_SANDBOX")),
  DEMO_KEYS_PER_HOUR: text("DEMO_KEYS_PER_HOUR", "5")
})

export const readDemo = Effect.fnUntraced(function* (production: boolean) {
  const e = yield* env
  const sandbox = check.given(e.DEMO_SANDBOX) ?? (production ? "off" : "on")
  return {
    sandbox: (yield* check.oneOf("DEMO_SANDBOX", sandbox, ["on", "off"])) === "on",
    keysPerHour: yield* check.whole("DEMO_KEYS_PER_HOUR", e.DEMO_KEYS_PER_HOUR, 0, 1_000_000)
  }
})
