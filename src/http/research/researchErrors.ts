import { defineError } from "#src/http/server/catalogue.ts"

export const evidenceNotFound = defineError(
  404,
  "evidence_not_found",
  "This character has no such evidence.",
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
  "The character has 200 pieces of evidence, which is the limit.",
  "Retract evidence you no longer need with DELETE."
)
export const evidenceRetracted = defineError(
  409,
  "evidence_retracted",
  "The evidence for this has been retracted.",
  "Start new research on valid sources."
)
export const researchNotFinished = defineError(
  409,
  "research_not_finished",
  "The run is still in progress.",
  "Wait until it has ended: GET /v1/characters/{slug}/research/{research_id}. Or end it with POST .../cancel."
)
export const findingAccepted = defineError(
  409,
  "finding_accepted",
  "This finding was accepted, and the character has changed.",
  "Change the character back with PATCH, or restore an earlier version."
)
