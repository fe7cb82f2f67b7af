import type { StoredCharacter } from "#src/db/character/Characters.ts"
import type { LoreEntry } from "./loreSchemas.ts"

/** The entries of a character's lore, as authored. */
export const loreOf = (profile: StoredCharacter["profile"]): ReadonlyArray<LoreEntry> =>
  (profile["world_context"] as { readonly entries?: ReadonlyArray<LoreEntry> } | undefined)?.entries ?? []

/** The profile with another lore. */
export const withLore = (profile: StoredCharacter["profile"], entries: ReadonlyArray<LoreEntry>): object => ({
  ...profile,
  world_context: { ...(profile["world_context"] as object | undefined), entries }
})
