import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { hostname } from "node:os"
import { repeatForever } from "#channels/repeatForever.ts"
import { databaseDependency } from "#pipeline/telemetry/Dependency.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { VERSION } from "#pipeline/domain/version.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { migrationFiles, migrationNumber } from "#src/db/postgres/migrationFiles.ts"
import { Alerts } from "./Alerts.ts"

const EVERY = "5 seconds"
/** A database that does not answer a heartbeat within this time counts as unreachable. */
const WITHIN = "5 seconds"
/** An interruption that was shorter than this is no alert. */
const ALERT_AFTER_MS = 30_000
/** Rows of processes that have been silent for so long are removed by others. */
const GONE_AFTER = "1 minute"

/**
 * This process in the table `processes`, renewed every few seconds. The heartbeat also notices that the database cannot
 * be reached, and sends the alert for it once it can.
 */
export class Presence extends Context.Service<
  Presence,
  {
    /** Since when the database has not answered. Null: it answers. */
    readonly unreachableSince: Effect.Effect<Date | null>
    /** The worker that runs in this process. It may change its id. */
    readonly workerIs: (current: Effect.Effect<Option.Option<string>>) => Effect.Effect<void>
  }
>()("src/db/operators/Presence") {
  static readonly layer = (roles: ReadonlyArray<string>) =>
    Layer.effect(
      Presence,
      Effect.gen(function* () {
        const { query } = yield* Database
        const alerts = yield* Alerts
        const processId = newId("prc")
        const known = migrationNumber(migrationFiles().at(-1) ?? "0000")
        const since = yield* Ref.make<Date | null>(null)
        const worker = yield* Ref.make(Effect.succeed(Option.none<string>()))

        const renew = Effect.gen(function* () {
          const workerId = Option.getOrNull(yield* Effect.flatten(Ref.get(worker)))
          yield* query(
            (sql) => sql`
            with gone as (
              delete from processes where heartbeat_at < now() - ${GONE_AFTER}::interval and process_id <> ${processId}
            )
            insert into processes (process_id, worker_id, version, roles, host, pid, migration)
            values (${processId}, ${workerId}, ${VERSION}, ${[...roles]}::text[], ${hostname()}, ${process.pid},
              ${known}::int)
            on conflict (process_id) do update set worker_id = excluded.worker_id, heartbeat_at = now()`
          )
        })
        const answered = Effect.gen(function* () {
          yield* databaseDependency.worked()
          const was = yield* Ref.get(since)
          if (was === null) return
          const silent = (yield* Clock.currentTimeMillis) - was.getTime()
          if (silent >= ALERT_AFTER_MS) yield* alerts.record({ kind: "database_unreachable", since: was })
          // Not before the alert is stored, which may fail.
          yield* Ref.set(since, null)
        })
        const failed = Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Ref.update(since, (known) => known ?? new Date(now))
        ).pipe(Effect.andThen(databaseDependency.failed("unreachable")))
        const beat = renew.pipe(
          Effect.timeout(WITHIN),
          Effect.andThen(answered),
          Effect.catch(() => failed)
        )

        yield* repeatForever(EVERY, beat).pipe(
          Effect.annotateLogs({ service: "Presence" }),
          Effect.forkScoped({ startImmediately: true })
        )
        yield* Effect.addFinalizer(() =>
          query((sql) => sql`delete from processes where process_id = ${processId}`).pipe(
            Effect.timeout("1 second"),
            Effect.ignore
          )
        )
        return Presence.of({
          unreachableSince: Ref.get(since),
          workerIs: (current) => Ref.set(worker, current)
        })
      })
    )
}
