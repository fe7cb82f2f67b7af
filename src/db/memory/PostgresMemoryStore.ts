import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Bearing, NEW_BEARING, type OpenLoop } from "#pipeline/relational/Relationship.ts"
import { type Known, MemoryStore, NOTHING_KNOWN } from "#pipeline/retrieval/MemoryStore.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"
import { Memories } from "./Memories.ts"
import { iso } from "#src/db/postgres/moments.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

interface Row {
  readonly n: number
  readonly bearing: Partial<Bearing>
  readonly loops: ReadonlyArray<OpenLoop>
  readonly forgotten: ReadonlyArray<number>
}

const NOTHING: Omit<Row, "n"> = { bearing: {}, loops: [], forgotten: [] }
/** How many loops of a session are considered, most urgent first. */
const MAX_LOOPS = 10

/**
 * What a character remembers about a person, in two queries. The one without a search is batched with those of other
 * turns.
 */
export const layer = Layer.effect(
  MemoryStore,
  Effect.gen(function* () {
    const { pool } = yield* Database
    const memories = yield* Memories

    const standing = groupCommit<SessionRef, Omit<Row, "n">>({
      maxBatch: 64,
      inFlight: 2,
      appOf: ({ appId }) => appId,
      run: async (batch) => {
        const rows = await pool<Array<Row>>`
        select w.n::int, r.bearing, (
          select coalesce(json_agg(l), '[]') from (
            select loop_id as id, kind, owner, text, ${iso(pool, "due_at")}, priority, status, evidence,
              ${iso(pool, "created_at")}, ${iso(pool, "updated_at")} from open_loops
            where app_id = w.app_id and session_id = w.session_id and status in ('open', 'surfaced')
            order by priority desc, open_loops.due_at nulls last, loop_id desc limit ${MAX_LOOPS}::int
          ) l
        ) as loops, (
          select coalesce(json_agg((e ->> 'cursor')::bigint), '[]') from memories m cross
            join json_array_elements(m.evidence) e
          where m.app_id = w.app_id and m.session_id = w.session_id and m.status = 'forgotten'
        ) as forgotten
        from unnest(${batch.map(({ appId }) => appId)}::text[],
          ${batch.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(app_id, session_id, n)
        join relationships r on r.app_id = w.app_id and r.session_id = w.session_id`
        const known = new Map(rows.map((row) => [row.n, row]))
        return batch.map((_, place) => known.get(place + 1) ?? NOTHING)
      }
    })

    return MemoryStore.of({
      look: ({ turn, terms, memories: most, loops }) =>
        Effect.all(
          [
            standing({ appId: turn.appId, sessionId: turn.sessionId }),
            memories.search(turn, {
              terms,
              languages: [turn.endUser.locale, ...turn.character.voice.languages],
              asOf: null,
              pinned: true,
              limit: most
            })
          ],
          { concurrency: 2 }
        ).pipe(
          Effect.map(([row, found]): Known => ({
            memories: found.map(({ id, kind, text, at, cursor, score }) => ({
              id,
              kind,
              text,
              at,
              cursor,
              score: score.total
            })),
            loops: row.loops.slice(0, loops),
            bearing: { ...NEW_BEARING, ...row.bearing },
            forgotten: new Set(row.forgotten),
            failed: false
          })),
          Effect.catchTag("DatabaseError", (error) =>
            Effect.as(Effect.logWarning("memories could not be read", { reason: error.message }), {
              ...NOTHING_KNOWN,
              failed: true
            })
          )
        )
    })
  })
)
