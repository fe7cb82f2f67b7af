import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const MIGRATIONS = resolve(import.meta.dirname, "../../../migrations")

/** The first line of a file that must run outside a transaction, such as `create index concurrently`. */
const OUTSIDE_TRANSACTION = "-- outside a transaction\n"

/** A line above the statements: processes that know the migration of this number work beside it. */
const COMPATIBLE_WITH = /^-- compatible with (\d{4})$/m

export interface Migration {
  readonly name: string
  readonly text: string
  /** SHA-256 of the text in hex. */
  readonly checksum: string
  /** False: a single statement that PostgreSQL refuses in a transaction. */
  readonly isTransactional: boolean
  /**
   * A process works on this schema, although it does not know this migration, if it knows the one of this number. Null:
   * no older process does.
   */
  readonly compatibleWith: number | null
}

/** The number in the name of a migration. */
export const migrationNumber = (name: string): number => Number(name.slice(0, 4))

/** The names of this version's migrations, in order. */
export const migrationFiles = (folder = MIGRATIONS): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()

const compatibleWith = (text: string): number | null => {
  const [, number] = COMPATIBLE_WITH.exec(text) ?? []
  return number === undefined ? null : Number(number)
}

/** This version's migrations, in order. Line ends do not count, because Git may convert them. */
export const readMigrations = (folder = MIGRATIONS): ReadonlyArray<Migration> =>
  migrationFiles(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n")
    return {
      name,
      text,
      checksum: createHash("sha256").update(text).digest("hex"),
      isTransactional: !text.startsWith(OUTSIDE_TRANSACTION),
      compatibleWith: compatibleWith(text)
    }
  })
