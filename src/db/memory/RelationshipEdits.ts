import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  add,
  change,
  changeLoop,
  changePreferences,
  forget,
  type MemoryChange,
  type MemoryFields,
  type PreferenceChange
} from "#pipeline/relational/edits.ts"
import { EMPTY_PATCH, type Patch } from "#pipeline/relational/Patch.ts"
import type { Memory, OpenLoop, Preferences, Relationship } from "#pipeline/relational/Relationship.ts"
import { lockSessions } from "#src/db/billing/moneyStatements.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { Relationships } from "./Relationships.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** Why an edit was refused. `gone`: the session, memory or loop does not exist, or no longer. */
export class EditRefused extends Schema.TaggedError<EditRefused>()("EditRefused", {
  reason: Schema.Literals(["gone", "forgotten", "too_many_pinned", "opted_out"])
}) {}

type Edited<A> = Effect.Effect<A, EditRefused | DatabaseError>
/** Missing fields stay as they are. */
export type NewMemory = Omit<MemoryFields, "valid_at"> & { readonly valid_at: string | null }

/** The app's changes to a character's memory of a person. Each is a patch like those of turns. */
export class RelationshipEdits extends Context.Service<
  RelationshipEdits,
  {
    /** `valid_at` null: from now on. */
    readonly addMemory: (session: SessionRef, memory: NewMemory) => Edited<Memory>
    readonly changeMemory: (session: SessionRef, memoryId: string, change: MemoryChange) => Edited<Memory>
    /** Idempotent: it may already be forgotten. */
    readonly forgetMemory: (session: SessionRef, memoryId: string) => Edited<Memory>
    readonly changeLoop: (
      session: SessionRef,
      loopId: string,
      fields: Partial<Pick<OpenLoop, "status" | "due_at">>
    ) => Edited<OpenLoop>
    readonly changePreferences: (session: SessionRef, change: PreferenceChange) => Edited<Preferences>
  }
>()("src/db/memory/RelationshipEdits") {
  static readonly layer = Layer.effect(
    RelationshipEdits,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const relationships = yield* Relationships
      const refused = (reason: EditRefused["reason"]) => Effect.fail(new EditRefused({ reason }))
      const orRefused = <A>(edit: A | null, reason: EditRefused["reason"]) =>
        edit === null ? refused(reason) : Effect.succeed(edit)

      const edit = (
        session: SessionRef,
        decide: (known: Relationship, at: string) => Effect.Effect<Patch, EditRefused>
      ) =>
        transaction(
          Effect.gen(function* () {
            // Locks against an erasure, which would otherwise miss what is written at the same time.
            const [log] = yield* query((sql) => lockSessions(sql, [session.appId], [session.sessionId]))
            if (log === undefined) return yield* refused("gone")
            const at = new Date(yield* Clock.currentTimeMillis)
            return yield* relationships.amend(session, (known) =>
              Effect.map(decide(known, at.toISOString()), (patch) => ({ at, patch }))
            )
          })
        )
      const memoryOf = (known: Relationship, id: string): Effect.Effect<Memory, EditRefused> =>
        orRefused(known.memories.get(id) ?? null, "gone")
      const memoryIn = (id: string) => Effect.flatMap((after: Relationship) => memoryOf(after, id))

      const addMemory = Effect.fnUntraced(function* (session: SessionRef, fields: NewMemory) {
        let added = ""
        const after = yield* edit(session, (known, at) =>
          Effect.map(
            orRefused(add(known, { ...fields, valid_at: fields.valid_at ?? at }, at), "too_many_pinned"),
            ({ memory, patch }) => {
              added = memory.id
              return patch
            }
          )
        )
        return yield* memoryOf(after, added)
      })
      const changeMemory = (session: SessionRef, memoryId: string, fields: MemoryChange) =>
        edit(
          session,
          Effect.fnUntraced(function* (known, at) {
            const before = yield* memoryOf(known, memoryId)
            if (before.status === "forgotten") return yield* refused("forgotten")
            return (yield* orRefused(change(known, before, fields, at), "too_many_pinned")).patch
          })
        ).pipe(memoryIn(memoryId))
      const forgetMemory = (session: SessionRef, memoryId: string) =>
        edit(session, (known, at) =>
          Effect.map(memoryOf(known, memoryId), (before) =>
            before.status === "forgotten" ? EMPTY_PATCH : forget(known, before, at)
          )
        ).pipe(memoryIn(memoryId))

      const loopOf = (known: Relationship, id: string): Effect.Effect<OpenLoop, EditRefused> => {
        const loop = known.loops.get(id)
        // A loop without text was opened by words that were forgotten.
        return loop === undefined || loop.text === "" ? refused("gone") : Effect.succeed(loop)
      }

      return RelationshipEdits.of({
        addMemory,
        changeMemory,
        forgetMemory,
        changeLoop: (session, loopId, fields) =>
          edit(session, (known, at) =>
            Effect.map(loopOf(known, loopId), (before) => changeLoop(before, fields, at))
          ).pipe(Effect.flatMap((after) => loopOf(after, loopId))),
        changePreferences: (session, fields) =>
          edit(session, (known) =>
            Effect.map(orRefused(changePreferences(known.bearing.preferences, fields), "opted_out"), (preferences) => ({
              ...EMPTY_PATCH,
              bearing: { preferences }
            }))
          ).pipe(Effect.map(({ bearing }) => bearing.preferences))
      })
    })
  )
}
