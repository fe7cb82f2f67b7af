import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { arcStatus } from "#pipeline/world/arcs.ts"
import { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { ArcCreate, ArcData, ArcPatch } from "./arcInfluenceSchemas.ts"
import { inUtc } from "#src/http/server/schemas/moment.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { arcInfluenceNotFound } from "./worldErrors.ts"
import { registerWorldRoutes } from "./worldRoutes.ts"
import { arcInfluenceExists } from "./worldExists.ts"

/** Temporary influences on a character. */
export const arcInfluenceRoutes: Routes = (server) =>
  registerWorldRoutes(server, {
    path: "arc-influences",
    parameter: "arc_id",
    prefix: "arc",
    exists: arcInfluenceExists,
    absent: arcInfluenceNotFound,
    names: ["ArcInfluence", "ArcInfluences"],
    summaries: {
      list: "List the arc influences on the character, current, future and past, newest first",
      create:
        "Create an arc influence: for a time, it affects the character's mood, " +
        "topics, availability or style, or how the relationship appears",
      get: "Get an arc influence",
      update: "Update an arc influence by JSON merge patch. cancelled: true ends it",
      delete: "Delete an arc influence"
    },
    table: ArcInfluences,
    create: ArcCreate,
    patch: ArcPatch,
    data: ArcData,
    full: (most) => `The character has ${most} arc influences, including past ones, which is the limit.`,
    toFields: (arc) => Effect.succeed({ ...arc, starts_at: inUtc(arc.starts_at), ends_at: inUtc(arc.ends_at) }),
    toResource: Effect.fnUntraced(function* ({ id, created_at, updated_at, ...arc }, { slug, version }, appId) {
      const {
        life_rhythm: { timezone = "UTC" }
      } = yield* CharacterVersions.use((versions) => versions.get(appId, slug, version))
      return {
        id,
        character_slug: slug,
        ...arc,
        status: arcStatus({ id, ...arc }, timezone, yield* Clock.currentTimeMillis),
        created_at,
        updated_at
      }
    })
  })
