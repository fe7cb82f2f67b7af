import { defineError } from "#src/http/server/catalogue.ts"

export const endUserNotFound = defineError(
  404,
  "end_user_not_found",
  "There is no such end-user in this app.",
  "List the app's end-users with GET /v1/end-users."
)
export const erasureNotFound = defineError(
  404,
  "erasure_not_found",
  "There is no such erasure in this app.",
  "The id of an erasure is in the response to DELETE /v1/end-users/{external_user_ref}."
)
