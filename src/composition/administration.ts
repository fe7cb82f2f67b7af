import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { EffectiveSettings } from "#src/http/operators/EffectiveSettings.ts"
import { FleetBatches } from "#src/db/operators/FleetBatches.ts"
import { FleetCharacters } from "#src/db/operators/FleetCharacters.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { OperatorAccounts } from "#src/db/operators/OperatorAccounts.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { SessionActions } from "#src/db/operators/SessionActions.ts"
import { SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { Spending } from "#src/db/operators/Spending.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { Settings } from "#src/settings/Settings.ts"

/** The lists of the operator, over all apps. */
const lists = Layer.mergeAll(
  DeliveryAttempts.layer,
  FleetBatches.layer,
  FleetBots.layer,
  FleetCharacters.layer,
  OperatorAccounts.layer,
  OperatorApps.layer,
  ActionLog.layer,
  OperatorChannels.layer,
  SessionSearch.layer,
  Spending.layer
)

/** What operators do besides. */
const actions = Layer.mergeAll(
  SessionActions.layer,
  Suspensions.layer.pipe(Layer.provideMerge(TelegramSuspensions.layer))
)

const settings = Layer.effect(
  EffectiveSettings,
  Effect.map(Settings, ({ effective }) => effective)
)

/** What the routes below /admin stand on: lists over all apps, and actions. */
export const administration = Layer.mergeAll(Rollups.layer, actions, lists, settings)

/** Services that jobs use. */
export const working = Rollups.layer
