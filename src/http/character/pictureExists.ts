import { isId } from "#pipeline/domain/Id.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { isSlug } from "./characterSchemas.ts"
import { assetNotFound } from "./pictureErrors.ts"

export const assetExists = resourceExists(
  assetNotFound,
  ({ slug = "", asset_id = "" }, { principal }) =>
    isSlug(slug) && isId("ast", asset_id) && Assets.use((assets) => assets.get(principal.appId, slug, asset_id))
)
