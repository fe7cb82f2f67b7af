import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Npc } from "#pipeline/world/World.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { changeWorld, type CharacterRef, type Stored, type WorldTable, worldTable } from "./worldTable.ts"

/** The people a character knows: at most 200. Each write joins an open transaction. */
export class Npcs extends Context.Service<
  Npcs,
  WorldTable<Npc> & {
    /** All NPCs of a character, oldest first. */
    readonly all: (of: CharacterRef) => Effect.Effect<ReadonlyArray<Stored<Npc>>, DatabaseError>
  }
>()("src/db/world/Npcs") {
  static readonly layer = Layer.effect(
    Npcs,
    Effect.map(Database, (database) => {
      const { query, transaction } = database
      const table = worldTable<Npc>(database, { table: "npcs", prefix: "npc", most: 200 })
      /** Deletes its edges, too. */
      const remove = Effect.fnUntraced(function* (of: CharacterRef, id: string) {
        yield* changeWorld(database, of)
        yield* query(
          (sql) => sql`
        delete from graph_edges where app_id =
          ${of.appId} and slug = ${of.slug} and (fields ->> 'from' = ${id} or fields ->> 'to' = ${id})`
        )
        return yield* table.remove(of, id)
      }, transaction)
      return Npcs.of({ ...table, remove, all: (of) => table.where(of, (sql) => sql``) })
    })
  )
}
