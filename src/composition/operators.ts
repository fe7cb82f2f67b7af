import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { Spending } from "#src/db/operators/Spending.ts"
import { EffectiveSettings } from "#src/http/operators/EffectiveSettings.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(Effect.map(Settings, ({ adminToken }) => OperatorAuthentication.layer(adminToken)))

/** The lists of the operator, over all apps. */
const lists = Layer.mergeAll(
  DeliveryAttempts.layer,
  FleetBots.layer,
  OperatorApps.layer,
  OperatorChannels.layer,
  SessionSearch.layer,
  Spending.layer
)

const settings = Layer.effect(
  EffectiveSettings,
  Effect.map(Settings, ({ effective }) => effective)
)

/** Services that routes use. */
export const serving = Layer.mergeAll(AppHealth.layer, Rollups.layer, lists, settings, authentication)

/** Services that jobs use. */
export const working = Rollups.layer
