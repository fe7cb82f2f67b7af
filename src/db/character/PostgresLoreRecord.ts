import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type LoreCalls, LoreRecord, NOT_CALLED } from "#pipeline/retrieval/LoreRecord.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"

/** Triggered lore, read from the trace. It is written together with the turn's outcome or not at all. */
export const layer = Layer.effect(
  LoreRecord,
  Effect.gen(function* () {
    const { query } = yield* Database
    return {
      before: ({ appId, sessionId, turnIndex }) =>
        query<Array<{ calls: LoreCalls | null }>>(
          (sql) => sql`
      select detail -> 'lore_calls' as calls from turn_stages
      where app_id = ${appId} and session_id =
        ${sessionId} and turn_index < ${turnIndex}::int and stage = 'retrieval' order by turn_index desc, fence desc,
          seq desc limit 1`
        ).pipe(
          Effect.map(([row]) => row?.calls ?? NOT_CALLED),
          untilReachable,
          Effect.orDie
        )
    }
  })
)
