import { defineError } from "#src/http/server/catalogue.ts"

export const evidenceNotFound = defineError(
  404,
  "evidence_not_found",
  "There is no such evidence of this character.",
  "List it with GET /v1/characters/{slug}/evidence."
)
export const researchNotFound = defineError(
  404,
  "research_not_found",
  "There is no such research for this character.",
  "List it with GET /v1/characters/{slug}/research."
)
export const findingNotFound = defineError(
  404,
  "finding_not_found",
  "This research has no such finding.",
  "List them with GET /v1/characters/{slug}/research/{research_id}."
)
export const evidenceLimitReached = defineError(
  409,
  "evidence_limit_reached",
  "The character has as much evidence as it may have, 200 texts.",
  "Retract what is not needed any more with DELETE."
)
export const evidenceRetracted = defineError(
  409,
  "evidence_retracted",
  "What this rests on has been retracted.",
  "Start research anew on sources that hold."
)
export const researchNotFinished = defineError(
  409,
  "research_not_finished",
  "The run goes on.",
  "Wait until it has ended: GET /v1/characters/{slug}/research/{research_id}. Or end it with POST .../cancel."
)
export const findingAccepted = defineError(
  409,
  "finding_accepted",
  "This finding has been accepted, and what it changed is in the character.",
  "Change the character back with PATCH, or restore an earlier version."
)
