import { defineError } from "#src/http/server/catalogue.ts"

export const characterNotFound = defineError(
  404,
  "character_not_found",
  "There is no such character in this app.",
  "List the app's characters with GET /v1/characters."
)
export const versionNotFound = defineError(
  404,
  "version_not_found",
  "There is no such version of this character.",
  "List them with GET /v1/characters/{slug}/versions."
)
export const loreEntryNotFound = defineError(
  404,
  "lore_entry_not_found",
  "This character has no such lore entry.",
  "List them with GET /v1/characters/{slug}/lore."
)
const takenSlug = defineError(
  409,
  "slug_taken",
  "The slug is taken in this app.",
  "Choose another slug, or PATCH the character that has it."
)
export const slugTaken = (slug: string, archivedAt: number | null) =>
  archivedAt === null
    ? takenSlug.saying(`The slug "${slug}" is taken in this app.`)
    : takenSlug.saying(
        `The slug "${slug}" belongs to an archived character of this app.`,
        `Choose another slug, or restore the archived character with POST ` +
          `/v1/characters/${slug}/versions/${archivedAt}/restore and PATCH it.`
      )
export const characterArchived = defineError(
  409,
  "character_archived",
  "This character is archived.",
  "Choose an active character: GET /v1/characters?status=active. Or restore this one with POST " +
    "/v1/characters/{slug}/versions/{n}/restore."
)
const worldFull = defineError(
  409,
  "world_limit_reached",
  "The character's world has reached a limit.",
  "Delete or change an existing entry."
)
export const worldLimitReached = (message: string) => worldFull.saying(message)
