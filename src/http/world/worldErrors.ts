import { defineError } from "#src/http/server/catalogue.ts"

export const npcNotFound = defineError(
  404,
  "npc_not_found",
  "This character has no such NPC.",
  "List them with GET /v1/characters/{slug}/npcs."
)
export const edgeNotFound = defineError(
  404,
  "edge_not_found",
  "There is no such edge in this character's graph.",
  "List them with GET /v1/characters/{slug}/graph."
)
export const storylineNotFound = defineError(
  404,
  "storyline_not_found",
  "This character has no such storyline.",
  "List them with GET /v1/characters/{slug}/storylines."
)
export const arcInfluenceNotFound = defineError(
  404,
  "arc_influence_not_found",
  "This character has no such arc influence.",
  "List them with GET /v1/characters/{slug}/arc-influences."
)
const notNow = defineError(
  409,
  "storyline_conflict",
  "No beat is waiting for this trigger.",
  "GET /v1/sessions/{session_id}/storylines shows the session's position. The storyline's beats show what follows."
)
export const storylineConflict = (trigger: string) =>
  notNow.saying(`No beat is waiting for the trigger ${JSON.stringify(trigger)}, or its conditions aren't all met.`)
