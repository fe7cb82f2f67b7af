import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Npc } from "#pipeline/world/World.ts"
import { Database } from "./Database.ts"
import { type WorldTable, worldTable } from "./worldTable.ts"

/** Who a character knows: at most 200. Each write joins an open transaction. */
export class Npcs extends Context.Service<Npcs, WorldTable<Npc>>()("src/db/Npcs") {
  static readonly layer = Layer.effect(Npcs, Effect.map(Database, (database) => worldTable<Npc>(database, { table: "npcs", prefix: "npc", most: 200 })))
}
