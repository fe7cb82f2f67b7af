import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database, type DatabaseError } from "./Database.ts"
import { type Migration, readMigrations } from "./migrationFiles.ts"

/** How the schema of a database differs from the one that this version needs, by the names of migrations. */
export interface SchemaDifference {
  /** Not applied yet. */
  readonly missing: ReadonlyArray<string>
  /** Applied by a newer version. */
  readonly unknown: ReadonlyArray<string>
  /** Applied, but the file has changed since. */
  readonly changed: ReadonlyArray<string>
}

export interface AppliedMigration {
  readonly name: string
  /** Null: applied by a version that recorded none. */
  readonly checksum: string | null
}

export const compareSchema = (
  ours: ReadonlyArray<Pick<Migration, "name" | "checksum">>,
  applied: ReadonlyArray<AppliedMigration>
): SchemaDifference => {
  const theirs = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const known = new Set(ours.map(({ name }) => name))
  return {
    missing: ours.flatMap(({ name }) => (theirs.has(name) ? [] : [name])),
    unknown: [...theirs.keys()].filter((name) => !known.has(name)).sort(),
    changed: ours.flatMap(({ name, checksum }) => ((theirs.get(name) ?? checksum) === checksum ? [] : [name]))
  }
}

export interface SchemaProblem {
  readonly message: string
  readonly fix: string
}

/** What is wrong with the schema, and what the operator can do. Null: nothing. */
export const schemaProblem = ({ missing, unknown, changed }: SchemaDifference): SchemaProblem | null =>
  missing.length > 0
    ? {
        message: `The schema lacks migrations of this version: ${missing.join(", ")}.`,
        fix: 'Apply them with "npm run -s troupe -- migrate".'
      }
    : unknown.length > 0
      ? {
          message: `The schema has migrations that this version does not know: ${unknown.join(", ")}.`,
          fix: "Run the version that has applied them."
        }
      : changed.length > 0
        ? {
            message: `Migrations have changed since they were applied: ${changed.join(", ")}.`,
            fix: "Restore these files as they were released."
          }
        : null

/** The schema of the database is not the one that this version needs. */
export class SchemaMismatch extends Schema.TaggedError<SchemaMismatch>()("SchemaMismatch", {
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message() {
    return `${this.problem} ${this.fix}`
  }
}

/** SQLSTATE of a table or a column that does not exist. */
const isAbsent = ({ sqlState }: DatabaseError) => sqlState === "42P01" || sqlState === "42703"

/** The migrations that a database has, without the checksums if it has none yet. */
export const readApplied = Effect.gen(function* () {
  const { query } = yield* Database
  const names = query<Array<AppliedMigration>>((sql) => sql`select name, null as checksum from schema_migrations`)
  const absent: ReadonlyArray<AppliedMigration> = []
  return yield* query<Array<AppliedMigration>>((sql) => sql`select name, checksum from schema_migrations`).pipe(
    Effect.catchIf(isAbsent, () => Effect.catchIf(names, isAbsent, () => Effect.succeed(absent)))
  )
})

/** Fails unless the schema is exactly the one of this version. Changes nothing. */
export const requireSchema = Effect.gen(function* () {
  const problem = schemaProblem(compareSchema(readMigrations(), yield* readApplied))
  if (problem !== null) return yield* new SchemaMismatch({ problem: problem.message, fix: problem.fix })
})
