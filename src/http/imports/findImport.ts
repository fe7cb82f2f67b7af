import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { type ImportClosed, Imports } from "#src/db/character/Imports.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { importClosed, importNotFound } from "./importErrors.ts"

export const findImport = Effect.fnUntraced(function* (appId: string, id: string) {
  const stored = isId("imp", id) ? yield* Imports.use((imports) => imports.get(appId, id)) : undefined
  return stored ?? (yield* importNotFound)
})

/** The existing character that an import is for. */
export const targetOf = Effect.fnUntraced(function* (appId: string, slug: string | null) {
  return slug === null || !isSlug(slug) ? undefined : yield* Characters.use((characters) => characters.get(appId, slug))
})

/** A committed, discarded or expired import cannot be changed. */
export const refuseClosed = ({ status }: ImportClosed) => Effect.fail(importClosed(status))
