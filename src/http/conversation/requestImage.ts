import * as Effect from "effect/Effect"
import type * as z from "zod"
import { pictureRefusal } from "#pipeline/safety/pictures.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Images } from "#src/db/character/Images.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { findSession } from "./findSession.ts"
import { validationError } from "#src/http/server/errors.ts"
import { MAX_REFERENCES_SENT, ImageModel } from "#src/model/ImageModel.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import type { ImageCreate } from "#src/http/character/imageSchemas.ts"
import { endUserCapExceeded, workNotAffordable } from "#src/http/billing/billingErrors.ts"
import { characterArchived } from "#src/http/character/characterErrors.ts"
import { imagePromptRejected, visualIdentityMissing } from "#src/http/character/pictureErrors.ts"
import { about } from "#src/http/server/about.ts"
import { sessionExited } from "./conversationErrors.ts"

/** Errors if it cannot be paid for. */
const unpaid = { budget: workNotAffordable, cap: endUserCapExceeded } as const

/** Requests a picture after checking that it is allowed and can be paid for. */
export const requestImage = Effect.fnUntraced(function* (appId: string, asked: z.output<typeof ImageCreate>) {
  const { character_slug: characterSlug, session_id, kind, prompt = null, caption = null, size, deliver } = asked
  const character = yield* findCharacter(appId, characterSlug).pipe(about("body.character_slug"))
  const session = session_id === undefined ? null : yield* findSession(appId, session_id).pipe(about("body.session_id"))
  if (session !== null && session.character_slug !== characterSlug)
    return yield* validationError("body.session_id: Must be a session of this character")
  if (deliver && session === null) return yield* validationError("body.session_id: Required with deliver: true")
  if (character.status === "archived") return yield* characterArchived.about("body.character_slug")
  if (deliver && session?.status !== "active") return yield* sessionExited.about("body.session_id")

  const identity = yield* VisualIdentities.use((identities) => identities.get(appId, characterSlug))
  const imageModel = yield* ImageModel
  const references = imageModel.takesReferences
    ? Math.min(MAX_REFERENCES_SENT, identity?.identity.reference_asset_ids.length ?? 0)
    : 0
  const priceMicroUsd = imageModel.priceMicroUsd(size, references)
  const payer = { appId, sessionId: session?.session_id ?? null }
  const objection = yield* Expenses.use((expenses) => expenses.refusalReason(payer, "image", priceMicroUsd))
  if (objection !== null) return yield* unpaid[objection]

  const {
    safety: { age_band: ageBand }
  } = yield* CharacterVersions.use((versions) => versions.get(appId, characterSlug, character.version))
  const refusal = pictureRefusal({ kind, words: [prompt ?? "", caption ?? ""], ageBand })
  if (refusal !== null)
    return yield* imagePromptRejected(refusal).about(`body.${prompt === null ? "caption" : "prompt"}`)
  if (prompt === null && (kind === "selfie" || kind === "scene"))
    return yield* validationError("body.prompt: Required, for a selfie or a scene")
  if (kind !== "scene" && (identity?.identity.appearance ?? "") === "")
    return yield* visualIdentityMissing.about("body.character_slug")

  const image = yield* Images.use((images) =>
    images.request(appId, {
      characterSlug,
      sessionId: payer.sessionId,
      kind,
      prompt,
      caption,
      size,
      deliver,
      priceMicroUsd
    })
  )
  // Other requests have used up the budget in between.
  if (image === null)
    return yield* unpaid[
      (yield* Expenses.use((expenses) => expenses.refusalReason(payer, "image", priceMicroUsd))) ?? "budget"
    ]
  return image
})
