import type { StoredCharacter } from "#src/db/Characters.ts"

export const toCharacterResource = ({ slug, profile, status, version, created_at, updated_at, import_id }: StoredCharacter) => ({
  slug,
  ...profile,
  status,
  version,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
  import_id
})
