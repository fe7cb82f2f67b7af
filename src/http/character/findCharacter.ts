import * as Effect from "effect/Effect"
import { Characters } from "#src/db/character/Characters.ts"
import { characterNotFound } from "./characterErrors.ts"
import { isSlug } from "./characterSchemas.ts"

/** A character of the app. The same 404 for characters that do not exist and those of other apps. */
export const findCharacter = Effect.fnUntraced(function* (appId: string, slug: string) {
  const character = isSlug(slug) ? yield* Characters.use((characters) => characters.get(appId, slug)) : undefined
  return character ?? (yield* characterNotFound)
})
