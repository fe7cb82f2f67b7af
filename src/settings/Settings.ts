import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BadSetting } from "./checks.ts"
import { notingSettings } from "./effectiveSettings.ts"
import { readDemo } from "./demo.ts"
import { readLimits } from "./limits.ts"
import { readLogs } from "./logs.ts"
import { readModel, readModelPrices } from "./model.ts"
import { readOidc } from "./oidc.ts"
import { readOtlp } from "./otlp.ts"
import { readOperators } from "./operators.ts"
import { readOutbound } from "./outbound.ts"
import { readRetention } from "./retention.ts"
import { readAdminToken, readSecrets } from "./secrets.ts"
import { readServer } from "./server.ts"
import { readStorage } from "./storage.ts"
import { readTelegram } from "./telegram.ts"
import { readTurns } from "./turns.ts"

/** Where people sign in, and who of them are operators. */
const readSignIn = Effect.gen(function* () {
  const oidc = yield* readOidc
  return { oidc, operators: yield* readOperators(oidc !== null) }
})

/** In this order, so that the first invalid setting is the one that is reported. */
const read = Effect.gen(function* () {
  const server = yield* readServer
  const { production } = server
  return {
    ...server,
    logs: yield* readLogs,
    otlp: yield* readOtlp,
    model: yield* readModel,
    modelPrices: yield* readModelPrices,
    ...(yield* readTurns),
    storage: yield* readStorage,
    secrets: yield* readSecrets,
    ...(yield* readOutbound),
    retention: yield* readRetention,
    adminToken: yield* readAdminToken(production),
    telegram: yield* readTelegram,
    ...(yield* readLimits),
    demo: yield* readDemo(production),
    ...(yield* readSignIn)
  } as const
}).pipe(
  Effect.catchTag("ConfigError", (error) =>
    Effect.fail(new BadSetting({ setting: "environment", problem: error.message }))
  )
)

/** With each setting as it was read, for the operator. */
const noted = Effect.map(notingSettings(read), ({ settings, effective }) => ({ ...settings, effective }))

/** The environment, read once. The reference for operators is docs/operate/settings.md. */
export class Settings extends Context.Service<Settings, Effect.Success<typeof noted>>()("src/settings") {
  static readonly layer = Layer.effect(Settings, noted)
}
