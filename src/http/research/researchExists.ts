import { isId } from "#pipeline/domain/Id.ts"
import { Findings } from "#src/db/research/Findings.ts"
import { isSlug } from "#src/http/character/characterSchemas.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { findingNotFound } from "./researchErrors.ts"

export const findingExists = resourceExists(
  findingNotFound,
  ({ slug = "", research_id = "", finding_id = "" }, { principal: { appId } }) =>
    isSlug(slug) &&
    isId("rsr", research_id) &&
    isId("fnd", finding_id) &&
    Findings.use((findings) => findings.get({ appId, slug }, research_id, finding_id))
)
