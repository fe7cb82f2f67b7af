import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isDeepStrictEqual } from "node:util"
import { apply, EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { addExtractionJobs } from "#src/db/conversation/turnJobs.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { makeRelationshipReader } from "./relationshipReader.ts"
import { writeSnapshots } from "./relationshipStatements.ts"
import { makeRelationshipWriter } from "./relationshipWriter.ts"

/** By id, because the order of rows has no meaning. */
const sorted = ({ memories, loops, ...rest }: Relationship) => {
  const inOrder = <A extends { readonly id: string }>(items: ReadonlyMap<string, A>) =>
    [...items.values()].sort((a, b) => a.id.localeCompare(b.id))
  return { ...rest, memories: inOrder(memories), loops: inOrder(loops) }
}

/** Rebuilds a relationship from its patches: see `rebuild` of Relationships. */
export const makeRelationshipRebuilder = (database: Context.Service.Shape<typeof Database>) => {
  const { query, transaction } = database
  const { read, patches } = makeRelationshipReader(database)
  const { writeRows } = makeRelationshipWriter(database)
  const record = auditing(database)
  return Effect.fnUntraced(function* (sessionId: string) {
    const [found] = yield* query<Array<{ app_id: string }>>(
      (sql) => sql`select app_id from sessions where session_id = ${sessionId}`
    )
    if (found === undefined) return null
    const session = { appId: found.app_id, sessionId }
    yield* query(
      (sql) =>
        sql`select 1 from relationships
          where app_id = ${session.appId} and session_id = ${sessionId} for no key update`
    )
    const stood = yield* read(session, true)
    const all = yield* patches(session)
    const made = all.reduce(
      (before, { patch, at, turnIndex }) => apply(before, patch, at.toISOString(), turnIndex),
      NEW_RELATIONSHIP
    )
    for (const table of ["memories", "memory_vectors", "open_loops", "snapshots"])
      yield* query(
        (sql) => sql`delete from ${sql(table)} where app_id = ${session.appId} and session_id = ${sessionId}`
      )
    yield* writeRows([
      { session, one: { ...EMPTY_PATCH, memories: [...made.memories.values()], loops: [...made.loops.values()] } }
    ])
    const snapshots = all.flatMap(({ patch: { snapshot } }) => (snapshot === null ? [] : [{ session, one: snapshot }]))
    if (snapshots.length > 0) yield* query((sql) => writeSnapshots(sql, snapshots))
    yield* query(
      (sql) => sql`
    update relationships set version =
      ${made.version}::int, read_turn =
        ${made.readTurn}::int, bearing =
          ${JSON.stringify(made.bearing)}::text::json where app_id = ${session.appId} and session_id = ${sessionId}`
    )
    yield* query((sql) => sql`select ${addExtractionJobs(sql, [session.appId], [sessionId])}`)
    const changed = !isDeepStrictEqual(sorted(stood), sorted(made))
    const rebuilt = { patches: all.length, memories: made.memories.size, loops: made.loops.size, changed }
    yield* record({ action: "session.rebuilt", appId: session.appId, subject: sessionId, detail: rebuilt })
    return rebuilt
  }, transaction)
}
