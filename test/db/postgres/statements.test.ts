import type postgres from "postgres"
import { afterAll, assert, beforeAll, it } from "vitest"
import { openPool } from "#src/db/postgres/postgres.ts"
import { readModules } from "#test/support/modules.ts"
import { checkStatements } from "#test/support/sql/checkStatements.ts"
import { Project } from "#test/support/sql/Project.ts"
import { untypedReads } from "#test/support/sql/untypedReads.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const FAULTY = "test/db/postgres/faulty"

let database: TestDatabase
let project: Project
let pool: postgres.Sql
beforeAll(async () => {
  database = await createTestDatabase()
  project = new Project(["src", FAULTY])
  pool = openPool(database.url, 1) as unknown as postgres.Sql
})
afterAll(async () => {
  project[Symbol.dispose]()
  await pool.end()
  await database.drop()
})

/** The compiler reads all sources: 10 s of processor time, and several times that on a busy machine. */

/** As found by a text search. */
const ROW_TYPE = /\b(?:query|sql|pool|connection)<\s*(?:Array<|\[)/g

it("rows and parameters of every statement have the types that the source declares", async () => {
  const { problems, rowTypes } = await checkStatements(project, "src", pool)
  assert.deepStrictEqual(problems, [])
  const written = readModules(["src"]).flatMap(({ text }) => text.match(ROW_TYPE) ?? [])
  assert.strictEqual(rowTypes, written.length, "row types that were checked, and that there are")
  assert.deepStrictEqual(untypedReads(project, "src"), [])
})

it("a statement whose types do not match the database is reported with the mismatch", async () => {
  const { problems } = await checkStatements(project, FAULTY, pool)
  assert.deepStrictEqual(
    problems.map((problem) => problem.replace(/^.*?: /, "")),
    [
      "the statement has no column slug",
      "the row type has no slug",
      "created_at is timestamp with time zone, and its type is string",
      "version is integer, and its type is string",
      "events is text[], and its type is null | readonly string[]",
      "display_name can be null, and its type is string",
      "slug can be null, and its type is string",
      "most can be null, and its type is number",
      'column "begun_at" does not exist',
      'column "begun_by" does not exist',
      "$1 is text, and what is sent is number",
      "$1 is json, and what is sent is string"
    ]
  )
})
