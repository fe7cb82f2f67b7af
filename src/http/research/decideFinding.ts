import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { type Change, isChangePath, mergePatchFor } from "#pipeline/research/Change.ts"
import { type FindingRefused, Findings } from "#src/db/research/Findings.ts"
import { validationError, versionConflict } from "#src/http/server/errors.ts"
import { patchProfile } from "#src/http/character/patchProfile.ts"
import { evidenceRetracted, findingAccepted, findingNotFound, researchNotFinished } from "./researchErrors.ts"

/** The finding that a path names. */
export interface FindingPath {
  readonly appId: string
  readonly slug: string
  readonly researchId: string
  readonly findingId: string
}

const REFUSALS = { unfinished: researchNotFinished, accepted: findingAccepted, retracted: evidenceRetracted } as const
const refusal = ({ reason }: FindingRefused) => Effect.fail(REFUSALS[reason])

/** Applies a finding's change, or the one given instead, as a new version of the character. */
export const acceptFinding = Effect.fnUntraced(function* (
  { appId, slug, researchId, findingId }: FindingPath,
  given: Change | null
) {
  const apply = (profile: object, change: Change) =>
    isChangePath(change.path)
      ? patchProfile(slug, profile, mergePatchFor(profile, change.path, change))
      : Effect.fail(
          validationError(`body.proposed_change.path: a finding cannot change ${JSON.stringify(change.path)}`)
        )
  const accepted = isId("fnd", findingId)
    ? yield* Findings.use((findings) => findings.accept({ appId, slug }, researchId, findingId, given, apply)).pipe(
        Effect.catchTags({
          FindingRefused: refusal,
          VersionConflict: ({ current }) => Effect.fail(versionConflict("character", current))
        })
      )
    : undefined
  return accepted ?? (yield* findingNotFound)
})

export const rejectFinding = Effect.fnUntraced(function* ({ appId, slug, researchId, findingId }: FindingPath) {
  const rejected = isId("fnd", findingId)
    ? yield* Findings.use((findings) => findings.reject({ appId, slug }, researchId, findingId)).pipe(
        Effect.catchTag("FindingRefused", refusal)
      )
    : undefined
  return rejected ?? (yield* findingNotFound)
})
