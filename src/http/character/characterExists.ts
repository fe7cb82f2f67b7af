import * as Effect from "effect/Effect"
import { Characters } from "#src/db/character/Characters.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { characterNotFound, loreEntryNotFound } from "./characterErrors.ts"
import { isSlug } from "./characterSchemas.ts"
import { loreOf } from "./lore.ts"

export const characterExists = resourceExists(
  characterNotFound,
  ({ slug = "" }, { principal }) =>
    isSlug(slug) && Characters.use((characters) => characters.get(principal.appId, slug))
)

export const loreEntryExists = resourceExists(
  loreEntryNotFound,
  ({ slug = "", entry_id }, { principal }) =>
    isSlug(slug) &&
    Effect.map(
      Characters.use((characters) => characters.get(principal.appId, slug)),
      (character) => (character === undefined ? undefined : loreOf(character.profile).find(({ id }) => id === entry_id))
    )
)
