import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database, type DatabaseError, type Sql } from "./Database.ts"
import { type Migration, migrationNumber, readMigrations } from "./migrationFiles.ts"

/** How the schema of a database differs from the one that this version needs, by the names of migrations. */
export interface SchemaDifference {
  /** Not applied yet. */
  readonly missing: ReadonlyArray<string>
  /** Applied by a newer version, on whose schema this version does not work. */
  readonly unknown: ReadonlyArray<string>
  /** Applied, but the file has changed since. */
  readonly changed: ReadonlyArray<string>
}

export interface AppliedMigration {
  readonly name: string
  /** Null: applied by a version that recorded none. */
  readonly checksum: string | null
  /** See Migration. Null also: recorded by a version that did not say. */
  readonly compatible_with: number | null
}

export const compareSchema = (
  ours: ReadonlyArray<Pick<Migration, "name" | "checksum">>,
  applied: ReadonlyArray<AppliedMigration>
): SchemaDifference => {
  const theirs = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const known = new Set(ours.map(({ name }) => name))
  const last = Math.max(0, ...ours.map(({ name }) => migrationNumber(name)))
  const isUnknown = ({ name, compatible_with: with_ }: AppliedMigration) =>
    !known.has(name) && (with_ === null || with_ > last)
  return {
    missing: ours.flatMap(({ name }) => (theirs.has(name) ? [] : [name])),
    unknown: applied
      .filter(isUnknown)
      .map(({ name }) => name)
      .sort(),
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
          fix: "Run the version that applied them."
        }
      : changed.length > 0
        ? {
            message: `Migrations have changed since they were applied: ${changed.join(", ")}.`,
            fix: "Restore the released versions of these files."
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

/** SQLSTATE of a table that does not exist. */
const isAbsent = ({ sqlState }: DatabaseError) => sqlState === "42P01"

/**
 * A recorded migration. Its later columns are read as JSON, because a version that has recorded no migration since has
 * not added them.
 */
export const appliedColumns = (sql: Sql) => sql`
  name, to_jsonb(m) ->> 'checksum' as checksum, (to_jsonb(m) ->> 'compatible_with')::int as compatible_with`

/** The migrations that a database has. */
export const readApplied = Effect.gen(function* () {
  const { query } = yield* Database
  const absent: ReadonlyArray<AppliedMigration> = []
  return yield* query<Array<AppliedMigration>>(
    (sql) => sql`select ${appliedColumns(sql)} from schema_migrations m`
  ).pipe(Effect.catchIf(isAbsent, () => Effect.succeed(absent)))
})

/** Fails unless this version works on the schema. Changes nothing. */
export const requireSchema = Effect.gen(function* () {
  const problem = schemaProblem(compareSchema(readMigrations(), yield* readApplied))
  if (problem !== null) return yield* new SchemaMismatch({ problem: problem.message, fix: problem.fix })
})
