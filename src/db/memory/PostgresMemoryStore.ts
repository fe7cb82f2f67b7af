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
  /** The position, the text, the hashes of the forgotten words, and when they were forgotten (ms since 1970). */
  readonly forgotten: ReadonlyArray<readonly [number, string, string, number]>
}

const NOTHING: Omit<Row, "n"> = { bearing: {}, loops: [], forgotten: [] }
/** How many loops of a session are considered, most urgent first. */
const MAX_LOOPS = 10
/** How many forgotten memories of a session are kept from being repeated, latest first. */
const MAX_FORGOTTEN = 100

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
          select coalesce(json_agg(json_build_array(v.cursor, v.payload ->> 'text', coalesce(m.tombstone, ''),
            floor(extract(epoch from coalesce(m.invalid_at, now())) * 1000))), '[]')
          from (
            select * from memories where app_id = w.app_id and session_id = w.session_id and status = 'forgotten'
            order by invalid_at desc limit ${MAX_FORGOTTEN}::int
          ) m cross join lateral json_array_elements(m.evidence) e
            join events v on v.app_id = m.app_id and v.session_id = m.session_id
              and v.cursor = (e ->> 'cursor')::bigint
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
            memories: found.map(({ id, kind, text, about, at, cursor, score }) => ({
              id,
              kind,
              text,
              about,
              at,
              cursor,
              score: score.total
            })),
            loops: row.loops.slice(0, loops),
            bearing: { ...NEW_BEARING, ...row.bearing },
            forgotten: row.forgotten.map(([cursor, text, hashes, at]) => ({
              cursor,
              text,
              hashes: hashes.split(" "),
              at: new Date(at)
            })),
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
