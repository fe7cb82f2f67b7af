import type { Exported } from "#src/db/postgres/catalogue/Table.ts"

const HEAD = `Everything that is kept of one end-user.

Files named .json are JSON. Files named .jsonl are JSON Lines: one JSON value per line.
Times are ISO 8601 in UTC. Text is UTF-8.
`

/** What each file of an export is, as its declaration says it. */
export const exportReadme = (files: ReadonlyArray<Pick<Exported, "file" | "about">>): string =>
  [HEAD, ...files.map(({ file, about }) => `${file.replace("*", "<session id>")}\n  ${about}\n`)].join("\n")
