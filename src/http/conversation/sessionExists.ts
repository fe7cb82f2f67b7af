import { isId } from "#pipeline/domain/Id.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { sessionNotFound } from "./conversationErrors.ts"

export const sessionExists = resourceExists(
  sessionNotFound,
  ({ session_id = "" }, { principal }) =>
    isId("ses", session_id) && Sessions.use((sessions) => sessions.get(principal.appId, session_id))
)
