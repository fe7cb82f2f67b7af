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
      list: "Who the character knows, newest first",
      create: "Have the character know somebody: it speaks of them when they come up, as their mention_policy allows",
      get: "One NPC",
      update: "Change an NPC by JSON merge patch",
      delete: "Delete an NPC, with the edges that it has"
    },
    table: Npcs,
    create: NpcCreate,
    patch: NpcPatch,
    data: NpcData,
    full: (most) => `The character knows ${most} NPCs, which is the limit.`,
    toFields: Effect.succeed,
    toResource: ({ id, ...npc }, { slug }) => Effect.succeed({ id, character_slug: slug, ...npc })
  })
