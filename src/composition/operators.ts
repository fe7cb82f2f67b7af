import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { Backlog } from "#src/db/operators/Backlog.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { FleetBatches } from "#src/db/operators/FleetBatches.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { OperatorAudit } from "#src/db/operators/OperatorAudit.ts"
import { OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { SessionActions } from "#src/db/operators/SessionActions.ts"
import { SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { Spending } from "#src/db/operators/Spending.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { EffectiveSettings } from "#src/http/operators/EffectiveSettings.ts"
import { Disks } from "#src/db/operators/Disks.ts"
import { Health } from "#src/db/operators/Health.ts"
import { ProcessMetrics } from "#src/db/operators/ProcessMetrics.ts"
import * as OperationsListener from "#src/http/operators/OperationsListener.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { Settings } from "#src/settings/Settings.ts"

const authentication = Layer.unwrap(
  Effect.map(Settings, ({ adminToken }) => OperatorAuthentication.layer({ adminToken, grounds: [] }))
).pipe(Layer.provideMerge(Layer.mergeAll(OperatorTokens.layer, OperatorSessions.layer)))

/** The folders that the embedded database and pictures are stored in, on the machine of this process. */
const disks = Layer.unwrap(
  Effect.map(Settings, ({ databaseUrl, dataDir, storage }) =>
    Disks.layer([
      ...(databaseUrl === null ? [{ path: dataDir, holds: "database" as const }] : []),
      ...(storage.kind === "folder" ? [{ path: storage.folder, holds: "pictures" as const }] : [])
    ])
  )
)

/** What is wrong with the server. */
const health = Health.layer.pipe(Layer.provide(disks))

/** The lists of the operator, over all apps. */
const lists = Layer.mergeAll(
  DeliveryAttempts.layer,
  FleetBatches.layer,
  FleetBots.layer,
  OperatorApps.layer,
  OperatorAudit.layer,
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

/** Services that routes use. */
export const serving = Layer.mergeAll(
  AppHealth.layer,
  actions,
  ConsoleCodes.layer,
  Rollups.layer,
  authentication,
  health,
  lists,
  settings
)

/** Services that jobs use. */
export const working = Rollups.layer

/** What a process tells about itself, in every role. */
export const monitoring = ProcessMetrics.layer.pipe(Layer.provide(Backlog.layer))

/** The listener for probes and Prometheus, if OPERATIONS_PORT is set. */
export const listener = Layer.unwrap(
  Effect.map(Settings, ({ operations: { host, port } }) =>
    port === null ? Layer.empty : OperationsListener.layer({ host, port })
  )
)
