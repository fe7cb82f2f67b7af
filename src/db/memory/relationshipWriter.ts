import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ForgottenWords } from "#pipeline/relational/forget.ts"
import type { Patch } from "#pipeline/relational/Patch.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { makeForgetText } from "./forgetText.ts"
import {
  type Amended,
  deleteVectors,
  type Of,
  writeLoops,
  writeMemories,
  writePatches,
  writeRecalled,
  writeSnapshots
} from "./relationshipStatements.ts"
import { sessionDictionaries } from "./sessionDictionary.ts"

/** Writes patches and the resulting rows, in the caller's transaction. */
export const makeRelationshipWriter = (database: Context.Service.Shape<typeof Database>) => {
  const { query } = database
  const forgetWords = makeForgetText(database)

  const writeRows = Effect.fnUntraced(function* (patches: ReadonlyArray<Of<Patch>>) {
    const memories = patches.flatMap(({ session, one }) => one.memories.map((memory) => ({ session, one: memory })))
    const loops = patches.flatMap(({ session, one }) => one.loops.map((loop) => ({ session, one: loop })))
    const snapshots = patches.flatMap(({ session, one: { snapshot } }) =>
      snapshot === null ? [] : [{ session, one: snapshot }]
    )
    if (memories.length > 0) {
      const dictionaryOf = yield* sessionDictionaries(memories.map(({ session }) => session)).pipe(
        Effect.provideService(Database, database)
      )
      yield* query((sql) =>
        writeMemories(
          sql,
          memories.map(({ session, one }, place) => ({ session, one: { ...one, dictionary: dictionaryOf(place) } }))
        )
      )
      // After that statement, so that it waits for what stores vectors. A changed memory is embedded again.
      yield* query((sql) => deleteVectors(sql, memories))
    }
    if (loops.length > 0) yield* query((sql) => writeLoops(sql, loops))
    if (snapshots.length > 0) yield* query((sql) => writeSnapshots(sql, snapshots))
  })

  const writeAll = Effect.fnUntraced(function* (
    amended: ReadonlyArray<Of<Amended & { readonly gone: ForgottenWords | null }>>
  ) {
    for (const {
      session,
      one: { gone }
    } of amended)
      if (gone !== null) yield* forgetWords(session, gone)
    yield* writeRows(amended.map(({ session, one: { patch } }) => ({ session, one: patch })))
    const recalled = amended.flatMap(({ session, one: { at, patch } }) =>
      patch.recalled.map((id) => ({ session, one: { id, at } }))
    )
    if (recalled.length > 0) yield* query((sql) => writeRecalled(sql, recalled))
    if (amended.length > 0) yield* query((sql) => writePatches(sql, amended))
  })

  return { writeRows, writeAll }
}
