import { type Bundle, BUNDLE_SCHEMA, splitProfile } from "./Bundle.ts"
import type { Fields } from "./readJson.ts"

/** A character as a file that this service can import. */
export const toBundle = (
  slug: string,
  profile: Fields,
  npcs: ReadonlyArray<unknown>,
  came: Omit<Bundle, "character" | "lore" | "npcs"> | undefined
): Fields => ({
  schema: BUNDLE_SCHEMA,
  ...splitProfile({ slug, ...profile }),
  npcs,
  assets: came?.assets ?? [],
  evidence: came?.evidence ?? [],
  visual_identity: came?.visual_identity ?? null,
  extra: came?.extra ?? {}
})
