import * as Effect from "effect/Effect"
import { Npcs } from "#src/db/world/Npcs.ts"
import { NpcCreate, NpcData, NpcPatch } from "./npcSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { npcNotFound } from "./worldErrors.ts"
import { registerWorldRoutes } from "./worldRoutes.ts"
import { npcExists } from "./worldExists.ts"

/** The people a character knows. */
export const npcRoutes: Routes = (server) =>
  registerWorldRoutes(server, {
    path: "npcs",
    parameter: "npc_id",
    prefix: "npc",
    exists: npcExists,
    absent: npcNotFound,
    names: ["Npc", "Npcs"],
    summaries: {
      list: "List the NPCs that the character knows, newest first",
      create: "Create an NPC that the character knows. It mentions them when relevant, as mention_policy allows",
      get: "Get an NPC",
      update: "Update an NPC by JSON merge patch",
      delete: "Delete an NPC and its edges"
    },
    table: Npcs,
    create: NpcCreate,
    patch: NpcPatch,
    data: NpcData,
    full: (most) => `The character has ${most} NPCs, which is the limit.`,
    toFields: Effect.succeed,
    toResource: ({ id, ...npc }, { slug }) => Effect.succeed({ id, character_slug: slug, ...npc })
  })
