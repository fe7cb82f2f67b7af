import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { ArcInfluences } from "#src/db/world/ArcInfluences.ts"
import { GraphEdges } from "#src/db/world/GraphEdges.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import { Storylines } from "#src/db/world/Storylines.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { arcInfluenceNotFound, edgeNotFound, npcNotFound, storylineNotFound } from "./worldErrors.ts"

export const npcExists = resourceExists(
  npcNotFound,
  ({ slug = "", npc_id = "" }, { principal: { appId } }) =>
    isSlug(slug) && isId("npc", npc_id) && Npcs.use((npcs) => npcs.get({ appId, slug }, npc_id))
)

export const edgeExists = resourceExists(
  edgeNotFound,
  ({ slug = "", edge_id = "" }, { principal: { appId } }) =>
    isSlug(slug) && isId("edg", edge_id) && GraphEdges.use((edges) => edges.get({ appId, slug }, edge_id))
)

export const arcInfluenceExists = resourceExists(
  arcInfluenceNotFound,
  ({ slug = "", arc_id = "" }, { principal: { appId } }) =>
    isSlug(slug) && isId("arc", arc_id) && ArcInfluences.use((arcs) => arcs.get({ appId, slug }, arc_id))
)

export const storylineExists = resourceExists(
  storylineNotFound,
  ({ slug = "", storyline_id = "" }, { principal: { appId } }) =>
    isSlug(slug) &&
    isId("stl", storyline_id) &&
    Storylines.use((storylines) => storylines.get({ appId, slug }, storyline_id))
)

/** A storyline of the session's character. */
export const sessionStorylineExists = resourceExists(
  storylineNotFound,
  ({ session_id = "", storyline_id = "" }, { principal: { appId } }) =>
    isId("ses", session_id) &&
    isId("stl", storyline_id) &&
    Effect.flatMap(
      Sessions.use((sessions) => sessions.get(appId, session_id)),
      (session) =>
        session === undefined
          ? Effect.undefined
          : Storylines.use((storylines) => storylines.get({ appId, slug: session.character_slug }, storyline_id))
    )
)
