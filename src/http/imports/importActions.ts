import type { StoredImport } from "#src/db/character/Imports.ts"
import { curl } from "#src/http/server/envelope.ts"

/** The possible next actions for an import, by its status. */
export const importActions = (
  baseUrl: string,
  { import_id: id, status, content_hash, report, character_slug }: StoredImport
) => {
  const codes = [...new Set(report.warnings.filter(({ severity }) => severity === "warning").map(({ code }) => code))]
  const accept = {
    command: curl(baseUrl, "PATCH", `/v1/imports/${id}`, { accept_warnings: codes }),
    description: "Accept the warnings"
  }
  const commit = {
    command: curl(baseUrl, "POST", `/v1/imports/${id}/commit`, { content_hash }),
    description: "Commit the import to a character"
  }
  const discard = { command: curl(baseUrl, "POST", `/v1/imports/${id}/discard`), description: "Discard the import" }
  switch (status) {
    case "needs_review":
      return [...(report.blockers.length === 0 ? [accept] : []), discard]
    case "ready":
      return [commit, discard]
    case "committed":
      return [{ command: curl(baseUrl, "GET", `/v1/characters/${character_slug}`), description: "Read the character" }]
    default:
      return []
  }
}
