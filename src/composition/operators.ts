import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { Backlog } from "#src/db/operators/Backlog.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { Activity } from "#src/db/operators/Activity.ts"
import { Alerts } from "#src/db/operators/Alerts.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import { Jobs } from "#src/db/operators/Jobs.ts"
import { Presence } from "#src/db/operators/Presence.ts"
import { Processes } from "#src/db/operators/Processes.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { Disks } from "#src/db/operators/Disks.ts"
import { Health } from "#src/db/operators/Health.ts"
import { ProcessMetrics } from "#src/db/operators/ProcessMetrics.ts"
import { Readiness } from "#src/db/operators/Readiness.ts"
import * as OperationsListener from "#src/http/operators/OperationsListener.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { administration } from "./administration.ts"
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

const presence = Layer.unwrap(Effect.map(Settings, ({ roles }) => Presence.layer([...roles])))

/** What is wrong with the server, and what has happened on it. */
const health = Layer.merge(Health.layer, Activity.layer).pipe(
  Layer.provide(disks),
  Layer.provideMerge(presence),
  Layer.provideMerge(Alerts.layer)
)

/** Services that routes use. */
export const serving = Layer.mergeAll(
  AppHealth.layer,
  Audit.layer,
  ConsoleCodes.layer,
  Jobs.layer,
  Processes.layer,
  administration,
  authentication
)

/** What a process tells about itself, in every role. */
export const monitoring = Layer.mergeAll(
  ProcessMetrics.layer.pipe(Layer.provide(Backlog.layer)),
  Readiness.layer,
  health
)

/** Tells the process which worker it runs. */
export const workerPresence = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current } = yield* Membership
    yield* Presence.use((presence) => presence.workerIs(current))
  })
)

/** The listener for probes and Prometheus, if OPERATIONS_PORT is set. */
export const listener = Layer.unwrap(
  Effect.map(Settings, ({ operations: { host, port } }) =>
    port === null ? Layer.empty : OperationsListener.layer({ host, port })
  )
)
