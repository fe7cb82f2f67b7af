import * as Effect from "effect/Effect"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { SessionsPayload, sessionsOf } from "#src/jobs/conversation/sessionsPayload.ts"
import { taskFor } from "#src/jobs/runner/task.ts"
import { TurnReader } from "./TurnReader.ts"

/** All of them, before the job fails for those that fail: one session must not keep the others of its job. */
const each = (
  sessions: ReadonlyArray<SessionRef>,
  drain: (session: SessionRef) => Effect.Effect<void, DatabaseError>
) =>
  Effect.forEach(sessions, (session) => Effect.exit(drain(session)), { concurrency: "unbounded" }).pipe(
    Effect.flatMap((exits) => Effect.forEach(exits, (exit) => exit, { discard: true }))
  )

// A reading has no sweeper: its job stays until it is done, and one that would wait for a place goes back to the table.
export const relateTask = taskFor("relate", SessionsPayload, (payload) =>
  TurnReader.use((reader) =>
    Effect.gen(function* () {
      const full: Array<SessionRef> = []
      yield* each(sessionsOf(payload), (session) =>
        Effect.flatMap(reader.isFull(session.appId), (isFull) =>
          isFull
            ? Effect.sync(() => {
                full.push(session)
              })
            : reader.drain(session)
        )
      )
      if (full.length > 0) yield* reader.putOff(full)
    })
  )
)
