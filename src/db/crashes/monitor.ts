import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Worker } from "node:worker_threads"
import { vitals } from "#src/units/currentUnit.ts"
import { Database } from "#src/db/postgres/Database.ts"
import type { MonitorData } from "./monitorThread.ts"

/** How long an event loop may be stuck before its process is killed. */
export const MAX_STUCK_MS = 10_000
/** The monitor takes twenty samples in that time, and must see a heartbeat in each except the last few. */
const BEATS_WITHIN = 40

/**
 * The last line of defence against input that no limit catches: a thread that kills this process if its event loop is
 * stuck for too long. First it records in the database which unit of work was running.
 */
export const layer = ({ mostStuckMs = MAX_STUCK_MS }: { readonly mostStuckMs?: number } = {}) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { directUrl } = yield* Database
      const data: MonitorData = { memory: vitals.memory, databaseUrl: Redacted.value(directUrl), mostStuckMs }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const beats = setInterval(() => vitals.beat(), mostStuckMs / BEATS_WITHIN)
          const thread = new Worker(new URL("monitorThread.ts", import.meta.url), { workerData: data, name: "monitor" })
          beats.unref()
          thread.unref()
          return { beats, thread }
        }),
        ({ beats, thread }) => Effect.promise(() => thread.terminate().finally(() => clearInterval(beats)))
      )
    })
  )
