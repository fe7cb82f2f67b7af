import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { goneBy } from "#pipeline/relational/forget.ts"
import { apply, isEmpty, type Patch } from "#pipeline/relational/Patch.ts"
import { type Bearing, NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { readingRelationships, sessionRows } from "./readingRelationships.ts"
import { rebuildingRelationship } from "./rebuildingRelationship.ts"
import { writingRelationships } from "./writingRelationships.ts"

export interface Writing {
  readonly at: Date
  readonly turnIndex: number | null
  readonly patch: Patch
}

/** Decides on a patch against a relationship as it stands. */
export interface Amendment<E = never, R = never> {
  readonly session: SessionRef
  readonly decide: (
    now: Relationship
  ) => Effect.Effect<Omit<Writing, "turnIndex"> & { readonly turnIndex?: number }, E, R>
}

export interface Standing {
  readonly bearing: Bearing
  /** How many loops wait to be taken up again. */
  readonly openLoops: number
}

export interface Rebuilt {
  readonly patches: number
  readonly memories: number
  readonly loops: number
  /** Whether the rows that stood said anything else. */
  readonly changed: boolean
}

/**
 * What a character knows of a person and how it stands with them, as rows that patches write. A session that does not
 * exist has an empty one.
 */
export class Relationships extends Context.Service<
  Relationships,
  {
    /** How the two stand, without what is remembered. */
    readonly standing: (session: SessionRef) => Effect.Effect<Standing, DatabaseError>
    /** As it stands, with every memory that is not superseded and every loop. */
    readonly load: (session: SessionRef) => Effect.Effect<Relationship, DatabaseError>
    /**
     * Decides on a patch against the relationship as it stands, locked, and writes it; an empty one writes nothing.
     * What it forgets goes from what was written before, too. Gives the relationship afterwards. Joins an open
     * transaction; lock order: after the session's log, before its turns. `decide` sees superseded memories as well.
     */
    readonly amend: <E, R>(
      session: SessionRef,
      decide: Amendment<E, R>["decide"]
    ) => Effect.Effect<Relationship, E | DatabaseError, R>
    /**
     * The same for several sessions, no two alike, at once and all or none. Who joins a transaction with it holds their
     * logs.
     */
    readonly amendAll: <E, R>(
      amendments: ReadonlyArray<Amendment<E, R>>
    ) => Effect.Effect<ReadonlyArray<Relationship>, E | DatabaseError, R>
    /** Every patch there is, the first first. */
    readonly patches: (session: SessionRef) => Effect.Effect<ReadonlyArray<Writing>, DatabaseError>
    /**
     * Makes the relationship anew out of its patches, in place of the rows that stand; what no patch has read yet is
     * read again afterwards. Null: there is no such session.
     */
    readonly rebuild: (sessionId: string) => Effect.Effect<Rebuilt | null, DatabaseError>
  }
>()("src/db/memory/Relationships") {
  static readonly layer = Layer.effect(
    Relationships,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const { readAll, read, standing, patches } = readingRelationships(database)
      const { writeAll } = writingRelationships(database)

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
                            gone: goneBy(now, patch)
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
        standing,
        load: (session) => read(session, false),
        amend,
        amendAll,
        patches,
        rebuild: rebuildingRelationship(database)
      })
    })
  )
}
