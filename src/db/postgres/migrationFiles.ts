import { readdirSync } from "node:fs"
import { resolve } from "node:path"

export const MIGRATIONS = resolve(import.meta.dirname, "../../../migrations")

/** The names of this version's migrations, in order. */
export const migrationFiles = (): ReadonlyArray<string> =>
  readdirSync(MIGRATIONS)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
