import * as Effect from "effect/Effect"
import { validationError } from "#src/http/server/errors.ts"
import { CharacterCreate } from "./characterSchemas.ts"
import { applyMergePatch } from "#src/http/server/schemas/mergePatch.ts"
import { refusalOf } from "#src/http/server/body/refusal.ts"

/**
 * The profile with a merge patch applied, validated as a whole like a new one: a patch must not clear required fields.
 */
export const patchProfile = (slug: string, profile: object, patch: object) => {
  const merged = applyMergePatch({ slug, ...profile }, patch)
  const parsed = CharacterCreate.safeParse(merged)
  if (!parsed.success) return Effect.fail(refusalOf(parsed.error.issues, "body", merged))
  const { slug: next, ...rest } = parsed.data
  return next === slug
    ? Effect.succeed(rest)
    : Effect.fail(validationError("body.slug: cannot be changed; create another character instead"))
}
