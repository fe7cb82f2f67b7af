import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(Effect.map(Settings, ({ adminToken }) => OperatorAuthentication.layer(adminToken)))

/** Services that routes use. */
export const serving = Layer.mergeAll(AppHealth.layer, authentication)
