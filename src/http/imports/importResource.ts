import { isDeepStrictEqual } from "node:util"
import type { StoredCharacter } from "#src/db/character/Characters.ts"
import type { ListedImport, StoredImport } from "#src/db/character/Imports.ts"
import { profileOf } from "#src/imports/Bundle.ts"
import { isRecord } from "#src/imports/readJson.ts"

const MAX_CHANGES = 200

interface Change {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** The differences by path. A list counts as one value. */
const changes = (before: unknown, after: unknown, path: string): ReadonlyArray<Change> => {
  if (isDeepStrictEqual(before, after)) return []
  if (!isRecord(before) || !isRecord(after)) return [{ path, before: before ?? null, after: after ?? null }]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changes(before[key], after[key], `${path}.${key}`)
  )
}

export const toImportSummary = (stored: ListedImport) => ({
  id: stored.import_id,
  status: stored.status,
  mode: stored.mode,
  target_slug: stored.target_slug,
  format_detected: stored.format,
  filename: stored.filename,
  content_hash: stored.content_hash,
  character_slug: stored.character_slug,
  created_at: stored.created_at.toISOString(),
  updated_at: stored.updated_at.toISOString(),
  expires_at: stored.expires_at.toISOString(),
  committed_at: stored.committed_at?.toISOString() ?? null
})

/** The import. While it is open, it includes the changes to its target character. */
export const toImportResource = (stored: StoredImport, target: StoredCharacter | undefined) => {
  const { bundle } = stored
  const isOpen = stored.status === "ready" || stored.status === "needs_review"
  const compared = isOpen && bundle !== null && target !== undefined
  return {
    ...toImportSummary(stored),
    bundle,
    report: stored.report,
    accepted_warnings: stored.accepted_warnings,
    target_version: compared ? target.version : null,
    diff: compared ? changes(target.profile, profileOf(bundle, target.profile), "character").slice(0, MAX_CHANGES) : []
  }
}
