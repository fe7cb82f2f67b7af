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
  "The response to DELETE /v1/end-users/{external_user_ref} contains the id of the erasure."
)
export const exportLimitReached = defineError(
  429,
  "export_limit_reached",
  "The app has too many exports that are in progress or ready to download.",
  "Try again after the time in Retry-After. An export is deleted an hour after it is ready."
)
export const exportFailed = defineError(
  502,
  "export_failed",
  "The export failed.",
  "Send the same request again after the time in Retry-After. It starts a new export."
)
