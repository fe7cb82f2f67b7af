import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { MAX_ATTEMPTS } from "#src/db/research/claimRun.ts"
import { ExportLost, Exports } from "#src/db/privacy/Exports.ts"
import type { ClaimedExport } from "#src/db/privacy/exportStatements.ts"
import { PersonReader } from "#src/db/privacy/PersonReader.ts"
import { StorageError, type StorageFailure } from "#src/storage/Storage.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { makeSharedRuns } from "#src/jobs/runner/sharedRuns.ts"
import { task } from "#src/jobs/runner/task.ts"
import { wasStopped } from "#src/jobs/runner/wasStopped.ts"
import { personFiles } from "./personFiles.ts"
import { zipParts } from "./zipStream.ts"

/** Maximum number of concurrent exports per app and process. */
const AT_ONCE = 2
/** Size of a stored part of the ZIP. */
const PART_BYTES = 2 * 1024 * 1024

/** An export that failed, and why. */
class Broken extends Schema.TaggedError<Broken>()("Broken", { cause: Schema.Defect() }) {}

type Failure = StorageFailure | ExportLost

/** Makes the requested exports. If a worker dies, another one starts its export again. */
export class ExportMaker extends Context.Service<
  ExportMaker,
  {
    /** Deletes expired exports and makes those that are waiting. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/privacy/ExportMaker") {
  static readonly layer = Layer.effect(
    ExportMaker,
    Effect.gen(function* () {
      const exports = yield* Exports
      const reader = yield* PersonReader
      const objects = yield* StoredObjects
      const membership = yield* Membership
      const share = yield* makeSharedRuns(AT_ONCE)

      const make = Effect.fnUntraced(function* (claimed: ClaimedExport) {
        const { appId, externalUserRef } = claimed
        const mtime = new Date(yield* Clock.currentTimeMillis)
        // Effects that run inside the promise belong to the same unit of work.
        const context = yield* Effect.context<never>()
        yield* Effect.tryPromise({
          try: async (signal) => {
            const run = <A>(effect: Effect.Effect<A, Failure>) => Effect.runPromiseWith(context)(effect, { signal })
            const reading = { reader, read: run, content: (key: string) => run(objects.get(key)) }
            for await (const part of zipParts(personFiles(reading, { appId, externalUserRef }), mtime, PART_BYTES))
              await run(Effect.flatMap(objects.put(appId, part), (key) => exports.addPart(claimed, key, part.length)))
          },
          catch: (cause) => new Broken({ cause })
        })
        yield* exports.finish(claimed)
      })

      const guarded = (claimed: ClaimedExport) =>
        (claimed.attempts > MAX_ATTEMPTS
          ? exports.fail(claimed, "given_up")
          : attempt(unitOf("export", claimed.appId, claimed.exportId), make(claimed), exports.fail(claimed, "given_up"))
        ).pipe(
          Effect.catchTag("Broken", ({ cause }) => {
            if (cause instanceof ExportLost) return Effect.void
            // The job is retried, and starts the export again.
            if (cause instanceof DatabaseError) return Effect.fail(cause)
            const code = cause instanceof StorageError ? "storage_unavailable" : "internal"
            return Effect.andThen(Effect.logError("export failed", cause), exports.fail(claimed, code))
          }),
          Effect.onError((cause) =>
            exports.leave(claimed, wasStopped(cause)).pipe(Effect.timeout("2 seconds"), Effect.ignore)
          ),
          Effect.annotateLogs({ export_id: claimed.exportId })
        )

      const claim = (except: ReadonlyArray<string>) =>
        Effect.flatMap(membership.current, (owner) =>
          Option.isNone(owner) ? Effect.undefined : exports.claim(owner.value, except)
        )
      return ExportMaker.of({ work: Effect.andThen(exports.sweep, share(claim, guarded)) })
    })
  )
}

export const exportsTask = task(
  "exports",
  ExportMaker.use((maker) => maker.work),
  { cron: "* * * * *" }
)
