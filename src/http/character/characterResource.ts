import type { StoredCharacter } from "#src/db/character/Characters.ts"

export const toCharacterResource = ({
  slug,
  profile,
  status,
  version,
  readiness,
  checked_at,
  created_at,
  updated_at,
  import_id
}: StoredCharacter) => ({
  slug,
  ...profile,
  status,
  version,
  readiness: { status: readiness, checked_at: checked_at.toISOString() },
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
  import_id
})
