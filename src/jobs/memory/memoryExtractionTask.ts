import * as Effect from "effect/Effect"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { SessionsPayload, sessionsOf } from "#src/jobs/conversation/sessionsPayload.ts"
import { taskFor } from "#src/jobs/runner/task.ts"
import { MemoryExtractionWorker } from "./MemoryExtractor.ts"
import { SessionEmbedder } from "./SessionEmbedder.ts"

/** Processes all sessions before the job fails, so that one failing session does not block the others. */
const drainAll = (
  sessions: ReadonlyArray<SessionRef>,
  drain: (session: SessionRef) => Effect.Effect<unknown, DatabaseError>
) =>
  Effect.forEach(sessions, (session) => Effect.exit(drain(session)), { concurrency: "unbounded" }).pipe(
    Effect.flatMap((exits) => Effect.forEach(exits, (exit) => exit, { discard: true }))
  )

// Extraction has no sweeper, so its job stays until it is done. A job that would have to wait for a slot goes back to
// the table.
export const memoryExtractionTask = taskFor("relate", SessionsPayload, (payload) =>
  MemoryExtractionWorker.use((reader) =>
    Effect.gen(function* () {
      const full: Array<SessionRef> = []
      const embedder = yield* SessionEmbedder
      yield* drainAll(sessionsOf(payload), (session) =>
        Effect.flatMap(reader.isFull(session.appId), (isFull) =>
          isFull
            ? Effect.sync(() => {
                full.push(session)
              })
            : Effect.andThen(reader.drain(session), embedder.embedNext(session))
        )
      )
      if (full.length > 0) yield* reader.postpone(full)
    })
  )
)
