import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { OperatorWatch } from "#src/accounts/OperatorWatch.ts"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { OperatorAudit } from "#src/db/operators/OperatorAudit.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { SignInAttempts } from "#src/db/operators/SignInAttempts.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(
  Effect.map(Settings, ({ adminToken, operators }) => OperatorAuthentication.layer({ adminToken, rules: operators }))
).pipe(Layer.provideMerge(Layer.mergeAll(OperatorTokens.layer, OperatorSessions.layer)))

/** Who operates this server, what they may see, and what they did. */
export const access = Layer.mergeAll(
  BreakGlass.layer,
  ConsoleCodes.layer,
  OperatorAudit.layer,
  Layer.merge(SignInAttempts.layer, OperatorWatch.layer).pipe(Layer.provideMerge(authentication))
)
