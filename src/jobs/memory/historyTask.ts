import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { HistoryReadings } from "#src/db/memory/HistoryReadings.ts"
import { SessionRecall } from "#src/db/memory/SessionRecall.ts"
import { taskFor } from "#src/jobs/runner/task.ts"
import { SessionEmbedder } from "./SessionEmbedder.ts"

const Added = Schema.Struct({ app_id: Schema.String, session_id: Schema.String, from: Schema.Int, to: Schema.Int })

/**
 * Indexes, reads and embeds history that was added to a session. A job that is interrupted starts over: what was read
 * before gives the same memories, so nothing is stored twice.
 */
export const historyTask = taskFor("history", Added, ({ app_id: appId, session_id: sessionId, from, to }) =>
  Effect.gen(function* () {
    const session = { appId, sessionId }
    const readings = yield* HistoryReadings
    yield* SessionRecall.use((recall) => recall.index(session, to))
    let next: number | null = from
    while (next !== null) next = yield* readings.read(session, next, to)
    const embedder = yield* SessionEmbedder
    while (yield* embedder.embedNext(session)) {
      /* until none is left */
    }
  })
)
