import { defineError } from "#src/http/server/catalogue.ts"

export const importNotFound = defineError(
  404,
  "import_not_found",
  "There is no such import in this app.",
  "List the app's imports with GET /v1/imports."
)
const importProblems = {
  too_large: defineError(
    413,
    "import_too_large",
    "The file is too large, or too large when unpacked.",
    "Remove what the character doesn't need, such as pictures."
  ),
  unreadable: defineError(
    422,
    "import_unreadable",
    "The file can't be read.",
    "Export it again from its source, and send the whole file."
  ),
  unsupported: defineError(
    422,
    "import_format_unsupported",
    "The file format is unknown, or differs from the one you named.",
    "Send a character card of version 1, 2 or 3 (JSON or PNG), a CharX file, a " +
      "lorebook, an elizaOS character or a bundle of this service."
  )
}
export const importRefused = (reason: keyof typeof importProblems, problem: string) =>
  importProblems[reason].saying(problem)
export const importHashMismatch = defineError(
  409,
  "import_hash_mismatch",
  "The import has changed since this content_hash.",
  "GET it, review the changes, and commit with its current content_hash."
)
export const importNotReady = defineError(
  409,
  "import_not_ready",
  "The import needs review.",
  "Fix its blockers with PATCH, and accept its warnings with accept_warnings."
)
const expiredImport = defineError(
  409,
  "import_expired",
  "The import wasn't committed within seven days and was deleted.",
  "Stage the file again with POST /v1/imports."
)
export const importClosed = (status: "committed" | "discarded" | "expired") =>
  status === "expired"
    ? expiredImport
    : importNotReady.saying(`The import is ${status}.`, "Stage the file again with POST /v1/imports.")
export const importLimitReached = defineError(
  409,
  "import_limit_reached",
  "Too many imports are awaiting review.",
  "Commit or discard some: GET /v1/imports?status=needs_review."
)
