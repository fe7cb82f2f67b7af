import * as Effect from "effect/Effect"
import type { StoredImport } from "#src/db/character/Imports.ts"
import { targetOf } from "./findImport.ts"
import { toImportResource } from "./importResource.ts"

/** An import, with what it would change where it goes into a character that is there. */
export const shownImport = Effect.fnUntraced(function* (appId: string, stored: StoredImport) {
  return toImportResource(stored, stored.mode === "update" ? yield* targetOf(appId, stored.target_slug) : undefined)
})
