import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Storyline } from "#pipeline/world/World.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { type WorldTable, worldTable } from "./worldTable.ts"

/** The stories of a character: at most 20. */
export class Storylines extends Context.Service<Storylines, WorldTable<Storyline>>()("src/db/world/Storylines") {
  static readonly layer = Layer.effect(
    Storylines,
    Effect.map(Database, (database) =>
      worldTable<Storyline>(database, { table: "storylines", prefix: "stl", most: 20 })
    )
  )
}
