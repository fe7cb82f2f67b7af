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
      list: "What weighs on the character, is to or did, newest first",
      create:
        "Have something weigh on the character for a time: on its mood, its topics, its availability, its style " +
        "or how the two seem to stand",
      get: "One arc influence",
      update: "Change an arc influence by JSON merge patch; cancelled: true ends it",
      delete: "Delete an arc influence"
    },
    table: ArcInfluences,
    create: ArcCreate,
    patch: ArcPatch,
    data: ArcData,
    full: (most) => `The character has ${most} arc influences, past ones among them, which is the limit.`,
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
