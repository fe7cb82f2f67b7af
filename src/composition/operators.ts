import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { repeatForever } from "#channels/repeatForever.ts"
import { warnOfLoss } from "#src/db/postgres/asynchronousStandbys.ts"
import { warnOfPooler } from "#src/db/postgres/pooler.ts"
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
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { administration } from "./administration.ts"
import { access } from "./operatorAccess.ts"
import { Settings } from "#src/settings/Settings.ts"

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
  Backlog.layer,
  Jobs.layer,
  Processes.layer,
  access,
  administration
)

/** Services that jobs use. */
export const working = OperatorSessions.layer

/** What a process tells about itself, in every role. */
export const monitoring = Layer.mergeAll(
  ProcessMetrics.layer.pipe(Layer.provide([Backlog.layer, Readiness.layer])),
  Readiness.layer,
  health,
  Layer.effectDiscard(warnOfLoss),
  Layer.effectDiscard(warnOfPooler)
)

/** Tells the process which worker it runs. */
export const workerPresence = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current } = yield* Membership
    yield* Presence.use((presence) => presence.workerIs(current))
  })
)

/** Keeps metrics current that are read from the database, if they are sent to a collector. */
export const refreshing = Layer.unwrap(
  Effect.map(Settings, ({ otlp }) =>
    otlp === null
      ? Layer.empty
      : Layer.effectDiscard(
          Effect.flatMap(ProcessMetrics, ({ refresh }) => Effect.forkScoped(repeatForever("5 seconds", refresh)))
        )
  )
)

/** The listener for probes and Prometheus. A second worker on a machine has none on the default port. */
export const listener = Layer.unwrap(
  Effect.map(Settings, ({ operations: { host, port, isChosen } }) => {
    if (port === null) return Layer.empty
    const chosen = OperationsListener.layer({ host, port })
    return isChosen
      ? chosen
      : Layer.catchTag(chosen, "CannotListen", () =>
          Layer.effectDiscard(
            Effect.logWarning("operations listener not started: its default port is taken, so set OPERATIONS_PORT", {
              port
            })
          )
        )
  })
)
