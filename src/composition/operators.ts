import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { FailedSignIns } from "#src/db/operators/FailedSignIns.ts"
import { OperatorAudit } from "#src/db/operators/OperatorAudit.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(
  Effect.map(Settings, ({ adminToken, operators }) => OperatorAuthentication.layer({ adminToken, rules: operators }))
).pipe(Layer.provideMerge(Layer.mergeAll(OperatorTokens.layer, OperatorSessions.layer)))

/** Services that routes use. */
export const serving = Layer.mergeAll(
  AppHealth.layer,
  BreakGlass.layer,
  ConsoleCodes.layer,
  FailedSignIns.layer,
  OperatorAudit.layer,
  authentication
)
