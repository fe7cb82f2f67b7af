import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { Research } from "#src/db/research/Research.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { researchNotFound } from "./researchErrors.ts"

/** A run of a character of the app, or the one 404 for what is not there and what is another's. */
export const findResearch = Effect.fnUntraced(function* (
  appId: string,
  { slug, research_id: id }: { readonly slug: string; readonly research_id: string }
) {
  yield* findCharacter(appId, slug)
  const run = isId("rsr", id) ? yield* Research.use((research) => research.get({ appId, slug }, id)) : undefined
  return run ?? (yield* researchNotFound)
})
