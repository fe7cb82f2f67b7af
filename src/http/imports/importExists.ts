import { isId } from "#pipeline/domain/Id.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { importNotFound } from "./importErrors.ts"

export const importExists = resourceExists(
  importNotFound,
  ({ import_id = "" }, { principal }) =>
    isId("imp", import_id) && Imports.use((imports) => imports.get(principal.appId, import_id))
)
