import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { forgottenBy } from "#pipeline/relational/forget.ts"
import { apply, isEmpty, type Patch } from "#pipeline/relational/Patch.ts"
import { type Bearing, NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { makeRelationshipReader, sessionRows } from "./relationshipReader.ts"
import { makeRelationshipRebuilder } from "./relationshipRebuilder.ts"
import { makeRelationshipWriter } from "./relationshipWriter.ts"

export interface Writing {
  readonly at: Date
  readonly turnIndex: number | null
  readonly patch: Patch
}

/** Decides on a patch for the current relationship. */
export interface Amendment<E = never, R = never> {
  readonly session: SessionRef
  readonly decide: (
    now: Relationship
  ) => Effect.Effect<Omit<Writing, "turnIndex"> & { readonly turnIndex?: number }, E, R>
}

export interface RelationshipState {
  readonly bearing: Bearing
  /** The number of waiting loops. */
  readonly openLoops: number
}

export interface Rebuilt {
  readonly patches: number
  readonly memories: number
  readonly loops: number
  /** Whether the previous rows were different. */
  readonly changed: boolean
}

/**
 * What a character knows about a person and their relationship, as rows that patches write. It is empty for a session
 * that does not exist.
 */
export class Relationships extends Context.Service<
  Relationships,
  {
    /** The relationship without its memories. */
    readonly stateOf: (session: SessionRef) => Effect.Effect<RelationshipState, DatabaseError>
    /** The current relationship, with all memories that are not superseded, and all loops. */
    readonly load: (session: SessionRef) => Effect.Effect<Relationship, DatabaseError>
    /**
     * Decides on a patch for the locked current relationship and writes it. An empty patch writes nothing. Text that it
     * forgets is also removed from earlier patches. Returns the new relationship. Joins an open transaction. Lock
     * order: after the session's log, before its turns. `decide` also sees superseded memories.
     */
    readonly amend: <E, R>(
      session: SessionRef,
      decide: Amendment<E, R>["decide"]
    ) => Effect.Effect<Relationship, E | DatabaseError, R>
    /**
     * The same for several distinct sessions, all or none. A caller that joins a transaction holds the locks on their
     * logs.
     */
    readonly amendAll: <E, R>(
      amendments: ReadonlyArray<Amendment<E, R>>
    ) => Effect.Effect<ReadonlyArray<Relationship>, E | DatabaseError, R>
    /** All patches, oldest first. */
    readonly patches: (session: SessionRef) => Effect.Effect<ReadonlyArray<Writing>, DatabaseError>
    /**
     * Rebuilds the relationship from its patches and replaces the current rows. Turns without a patch are extracted
     * again afterwards. Null: there is no such session.
     */
    readonly rebuild: (sessionId: string) => Effect.Effect<Rebuilt | null, DatabaseError>
  }
>()("src/db/memory/Relationships") {
  static readonly layer = Layer.effect(
    Relationships,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const { readAll, read, standing: stateOf, patches } = makeRelationshipReader(database)
      const { writeAll } = makeRelationshipWriter(database)

      const amendAll = <E, R>(amendments: ReadonlyArray<Amendment<E, R>>) =>
        transaction(
          Effect.gen(function* () {
            const sessions = amendments.map(({ session }) => session)
            const [, , known] = yield* Effect.all(
              [
                query(
                  (sql) => sql`
          insert into relationships (app_id, session_id) select app_id, session_id
            from ${sessionRows(sql, sessions)} join sessions s using (app_id, session_id)
          where not exists (select from relationships r where r.app_id = s.app_id and r.session_id = s.session_id)
            order by app_id, session_id on conflict do nothing`
                ),
                query(
                  (sql) => sql`
          select 1 from relationships r join (select app_id, session_id
            from ${sessionRows(sql, sessions)}) w using (app_id, session_id) order by r.app_id,
              r.session_id for no key update of r`
                ),
                readAll(sessions, true)
              ],
              { concurrency: "unbounded" }
            )
            const decided = yield* Effect.forEach(
              amendments,
              ({ session, decide }, place) => {
                const now = known[place] ?? NEW_RELATIONSHIP
                return Effect.map(decide(now), ({ at, patch, turnIndex = null }) => {
                  const moment = at.toISOString()
                  return isEmpty(patch) && turnIndex === null
                    ? { now, amended: null }
                    : {
                        now,
                        amended: {
                          session,
                          one: {
                            at: moment,
                            turnIndex,
                            patch,
                            after: apply(now, patch, moment, turnIndex),
                            gone: forgottenBy(now, patch)
                          }
                        }
                      }
                })
              },
              { concurrency: "unbounded" }
            )
            yield* writeAll(decided.flatMap(({ amended }) => (amended === null ? [] : [amended])))
            return decided.map(({ now, amended }) => amended?.one.after ?? now)
          })
        )

      const amend = <E, R>(session: SessionRef, decide: Amendment<E, R>["decide"]) =>
        Effect.map(amendAll([{ session, decide }]), ([after = NEW_RELATIONSHIP]) => after)

      return Relationships.of({
        stateOf,
        load: (session) => read(session, false),
        amend,
        amendAll,
        patches,
        rebuild: makeRelationshipRebuilder(database)
      })
    })
  )
}
