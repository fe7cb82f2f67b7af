import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Arc } from "#pipeline/world/World.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { type WorldTable, worldTable } from "./worldTable.ts"

/** Temporary influences on a character: at most 100. */
export class ArcInfluences extends Context.Service<ArcInfluences, WorldTable<Arc>>()("src/db/world/ArcInfluences") {
  static readonly layer = Layer.effect(
    ArcInfluences,
    Effect.map(Database, (database) =>
      worldTable<Arc>(database, {
        table: "arc_influences",
        prefix: "arc",
        most: 100,
        sessionOf: ({ scope }) => (typeof scope === "object" && "session_id" in scope ? scope.session_id : null)
      })
    )
  )
}
