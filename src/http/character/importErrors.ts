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
    "The file is larger than one may be, or unpacks to more.",
    "Leave out of it what the character does not need, such as pictures."
  ),
  unreadable: defineError(
    422,
    "import_unreadable",
    "The file cannot be read as what it is.",
    "Export it anew where it comes from, and send it whole."
  ),
  unsupported: defineError(
    422,
    "import_format_unsupported",
    "The file is of no kind that is known, or of another than was said.",
    "Send a character card of version 1, 2 or 3 (JSON or PNG), CharX, a lorebook, a character of elizaOS or a " +
      "bundle of this service."
  )
}
export const importRefused = (reason: keyof typeof importProblems, problem: string) =>
  importProblems[reason].saying(problem)
export const importHashMismatch = defineError(
  409,
  "import_hash_mismatch",
  "The import is not what content_hash says any more.",
  "GET it, look at what has changed, and commit with its present content_hash."
)
export const importNotReady = defineError(
  409,
  "import_not_ready",
  "The import needs review.",
  "Edit away its blockers with PATCH, and accept its warnings with accept_warnings."
)
const expiredImport = defineError(
  409,
  "import_expired",
  "Nobody has committed the import within seven days, and nothing is kept of it.",
  "Stage the file again with POST /v1/imports."
)
export const importClosed = (status: "committed" | "discarded" | "expired") =>
  status === "expired"
    ? expiredImport
    : importNotReady.saying(`The import is ${status}.`, "Stage the file again with POST /v1/imports.")
export const importLimitReached = defineError(
  409,
  "import_limit_reached",
  "As many imports of this app wait as may.",
  "Commit or discard some: GET /v1/imports?status=needs_review."
)
