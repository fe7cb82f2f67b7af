import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(
  Effect.map(Settings, ({ adminToken }) => OperatorAuthentication.layer({ adminToken, grounds: [] }))
).pipe(Layer.provideMerge(Layer.mergeAll(OperatorTokens.layer, OperatorSessions.layer)))

/** Services that routes use. */
export const serving = Layer.mergeAll(AppHealth.layer, ConsoleCodes.layer, authentication)
