import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MessagePart } from "#pipeline/domain/Event.ts"
import { readReferred } from "#pipeline/domain/referred.ts"
import { Transcript, type Utterance } from "#pipeline/retrieval/Transcript.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { untilReachable } from "#src/db/postgres/retry.ts"

interface Request {
  readonly appId: string
  readonly sessionId: string
  readonly turnIndex: number
  readonly limit: number
}
type Said = readonly ["user" | "character", string, number, number, ReadonlyArray<MessagePart> | null]
interface Row {
  readonly n: number
  readonly said: ReadonlyArray<Said> | null
}

const toUtterance = ([role, text, cursor, at, parts]: Said): Utterance =>
  readReferred({ role, text, cursor, at: new Date(at) }, parts)

/**
 * What was said before a turn, in log order. Later messages of the person are left out. Later messages of the character
 * count, because they come before the answer to this turn.
 */
export const layer = Layer.effect(
  Transcript,
  Effect.gen(function* () {
    const { pool } = yield* Database
    const read = groupCommit<Request, ReadonlyArray<Utterance>>({
      maxBatch: 64,
      inFlight: 2,
      appOf: ({ appId }) => appId,
      run: async (batch) => {
        // As a literal: with a parameter as limit, the planner assumes that it needs the whole log and sorts it.
        const most = Math.max(...batch.map(({ limit }) => Math.trunc(limit)))
        const rows = await pool<Array<Row>>`
        select w.n::int, (
          select json_agg(json_build_array(e.role, e.payload ->> 'text', e.cursor, floor(extract(epoch
            from e.created_at) * 1000), e.payload -> 'parts') order by e.cursor)
          from (
            select * from events e
            where e.app_id = w.app_id and e.session_id = w.session_id
              and e.type in ('message.created', 'character.initiated')
              and (e.role = 'character' or e.cursor < t.cursor or t.initiative is not null and e.cursor = t.cursor)
            order by e.cursor desc limit ${pool.unsafe(String(most))}
          ) e
        ) as said
        from unnest(${batch.map((r) => r.appId)}::text[], ${batch.map((r) => r.sessionId)}::text[],
          ${batch.map((r) => r.turnIndex)}::int[])
          with ordinality as w(app_id, session_id, turn_index, n)
        join turns t on t.app_id = w.app_id and t.session_id = w.session_id and t.turn_index = w.turn_index`
        const answers: Array<ReadonlyArray<Utterance>> = batch.map(() => [])
        for (const row of rows)
          answers[row.n - 1] = (row.said ?? []).slice(-(batch[row.n - 1]?.limit ?? most)).map(toUtterance)
        return answers
      }
    })
    return Transcript.of({ before: (turn, limit) => untilReachable(read({ ...turn, limit })).pipe(Effect.orDie) })
  })
)
