import { defineError } from "#src/http/server/catalogue.ts"
import { tokenNotFound } from "#src/http/tenancy/tenancyErrors.ts"

export const operatorTokenNotFound = tokenNotFound.saying(
  "There is no such operator token.",
  "List the tokens with GET /admin/tokens."
)
export const operatorSessionNotFound = defineError(
  404,
  "operator_session_not_found",
  "There is no such operator session, or it is not yours.",
  "List the sessions with GET /admin/sign-ins."
)
const contentIsClosed = defineError(
  403,
  "content_closed",
  "The content of this session is hidden from you.",
  "Give a reason with POST /admin/sessions/{session_id}/break-glass. It opens the session for 15 minutes."
)
/** The content of a session, without a reason given for it. */
export const contentClosed = (sessionId: string) =>
  contentIsClosed.saying(
    contentIsClosed.message,
    `Give a reason with POST /admin/sessions/${sessionId}/break-glass. It opens the session for 15 minutes.`
  )
