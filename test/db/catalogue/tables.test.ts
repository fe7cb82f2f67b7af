import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { erasureOf } from "#src/db/postgres/catalogue/erase.ts"
import { RETENTION_SETTINGS, type Scope, type Table } from "#src/db/postgres/catalogue/Table.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

interface Column {
  readonly table: string
  readonly column: string
}
interface Reference {
  readonly from: string
  readonly to: string
  readonly cascades: boolean
}

/** Columns that name the owner of a row, in any table: a table that has one declares it. */
const OWNED_BY = {
  app_id: "app",
  session_id: "session",
  external_user_ref: "person",
  character_slug: "character",
  slug: "character"
} as const

const KEPT = { kept: "for this test" }

const HOW_TO = "declare it in src/db/<domain>/tables.ts, see docs/contribute/database.md"

/** Tables of a database that are not declared, and declared ones that it lacks. */
const undeclared = (columns: ReadonlyArray<Column>, tables: ReadonlyArray<Table>): ReadonlyArray<string> => {
  const there = [...new Set(columns.map(({ table }) => table))]
  const declared = tables.map(({ name }) => name)
  return [
    ...there.filter((name) => !declared.includes(name)).map((name) => `${name} is not declared: ${HOW_TO}`),
    ...declared.filter((name) => !there.includes(name)).map((name) => `${name} is declared, and is not in the database`)
  ]
}

/** Differences between the declared owners and the columns, in both directions. */
const wrongOwners = (columns: ReadonlyArray<Column>, tables: ReadonlyArray<Table>): ReadonlyArray<string> =>
  tables.flatMap(({ name, owners }) => {
    const own = columns.filter(({ table }) => table === name).map(({ column }) => column)
    const declared = Object.values(owners)
    return [
      ...declared.filter((column) => !own.includes(column)).map((column) => `${name} has no column ${column}`),
      ...own
        .filter((column) => column in OWNED_BY && !declared.includes(column))
        .map((column) => `${name}.${column} names no owner: ${HOW_TO}`)
    ]
  })

/** Tables whose rows would be deleted in a scope before rows that refer to them. */
const wrongOrder = (
  references: ReadonlyArray<Reference>,
  tables: ReadonlyArray<Table>,
  scope: Scope
): ReadonlyArray<string> => {
  const deletes = (table: Table) => {
    const erasure = erasureOf(table, scope)
    return erasure !== undefined && (erasure === "deleted" || erasure.kept === undefined)
  }
  const deleted = tables.filter(deletes).map(({ name }) => name)
  return references
    .filter(({ from, to, cascades }) => !cascades && deleted.includes(from) && deleted.includes(to))
    .filter(({ from, to }) => from !== to && deleted.indexOf(from) > deleted.indexOf(to))
    .map(({ from, to }) => `${from} refers to ${to}, and comes after it in src/db/catalogue/allTables.ts`)
}

/** Tables without a rule for their rows when a person is erased or exported, or a character copied. */
const unsaid = (tables: ReadonlyArray<Table>): ReadonlyArray<string> =>
  tables.flatMap(({ name, owners, erasure, exported, copied }) => {
    const isOfPerson = owners.person !== undefined
    const isErased = owners.session !== undefined || erasure?.traces || erasure?.chats || erasure?.person
    return [
      ...(isOfPerson && !isErased ? [`${name} does not say in which scope it is erased with a person`] : []),
      ...((isOfPerson || owners.session !== undefined) && exported === undefined
        ? [`${name} does not say how it is exported, or why it is not`]
        : []),
      ...(owners.character !== undefined && copied === undefined
        ? [`${name} does not say how it is copied for evals, or why it is not`]
        : [])
    ]
  })

let database: TestDatabase
let columns: ReadonlyArray<Column>
let references: ReadonlyArray<Reference>
beforeAll(async () => {
  database = await createTestDatabase()
  columns = await database.sql<Array<Column>>`
    select table_name as table, column_name as column from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  references = await database.sql<Array<Reference>>`
    select c.table_name as from, u.table_name as to, r.delete_rule = 'CASCADE' as cascades
    from information_schema.referential_constraints r
      join information_schema.table_constraints c using (constraint_schema, constraint_name)
      join information_schema.table_constraints u on u.constraint_schema = r.unique_constraint_schema
        and u.constraint_name = r.unique_constraint_name
    where r.constraint_schema = 'public'`
})
afterAll(() => database.drop())

describe("the catalogue of tables", () => {
  it("lists every table of a migrated database once, and no other", () => {
    assert.isAbove(columns.length, 300)
    assert.deepStrictEqual(undeclared(columns, allTables), [])
    assert.strictEqual(new Set(allTables.map(({ name }) => name)).size, allTables.length)
  })

  it("names the owners of each table by existing columns, and omits no such column", () => {
    assert.deepStrictEqual(wrongOwners(columns, allTables), [])
  })

  it.each(["session", "traces", "chats", "person", "app"] as const)(
    "deletes referring rows first in the scope %s",
    (scope) => {
      assert.isAbove(references.length, 30)
      assert.deepStrictEqual(wrongOrder(references, allTables, scope), [])
    }
  )

  it("keeps the profile, the caps and the receipt of an erased person who comes back, and nothing else", () => {
    const kept = allTables.filter(({ owners, erasure }) => "person" in owners && erasure?.person !== undefined)
    assert.sameMembers(
      kept.map(({ name }) => name),
      ["allowances", "end_users", "erasures"],
      "what was stored about a person before belongs to the scope traces, see docs/contribute/database.md"
    )
  })

  it("has each file of the export in the table that apps read, and no other", () => {
    const listed = readFileSync(join(import.meta.dirname, "../../../docs/build/end-users.md"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+\.jsonl?)`/g)].map(([, file]) => file))
    const exported = allTables.flatMap(({ exported }) =>
      exported !== undefined && "file" in exported ? [exported.file.replace("*", "<session id>")] : []
    )
    assert.sameMembers(listed, exported)
  })

  it("states for each table of a person or a character what erasure does to its rows", () => {
    assert.deepStrictEqual(unsaid(allTables), [])
  })
})

describe("what keeps tables small", () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "../../../docs/operate", file), "utf8")

  it("is written in the docs for each table as it is declared, and for no other", () => {
    const listed = read("retention.md")
      .split("\n")
      .filter((line) => /^\| `[a-z_]+` \|/.test(line))
    const declared = allTables.map(({ name, retention }) =>
      "setting" in retention
        ? `| \`${name}\` | \`${retention.setting}\` | ${retention.rows} |`
        : "bounded" in retention
          ? `| \`${name}\` | | ${retention.bounded} |`
          : `| \`${name}\` | forever | ${retention.kept} |`
    )
    assert.sameMembers(listed, declared)
  })

  it("is a setting that deletes rows of at least one table, if it is a setting", () => {
    const used = allTables.flatMap(({ retention }) => ("setting" in retention ? [retention.setting] : []))
    assert.sameMembers([...new Set(used)], [...RETENTION_SETTINGS])
    for (const setting of RETENTION_SETTINGS) assert.include(read("settings.md"), `| \`${setting}\` |`)
  })
})

describe("the checks of the catalogue", () => {
  it("detect a table that is not declared, and say what to do", async () => {
    const { sql } = database
    await sql`create table diaries (app_id text, session_id text, entry text)`
    const grown = await sql<Array<Column>>`
      select table_name as table, column_name as column from information_schema.columns where table_name = 'diaries'`
    assert.deepStrictEqual(undeclared([...columns, ...grown], allTables), [`diaries is not declared: ${HOW_TO}`])
    const declared: Table = { name: "diaries", retention: KEPT, owners: { app: "app_id" } }
    assert.deepStrictEqual(wrongOwners(grown, [declared]), [`diaries.session_id names no owner: ${HOW_TO}`])
    assert.lengthOf(unsaid([{ name: "diaries", retention: KEPT, owners: { app: "app_id", session: "session_id" } }]), 1)
    assert.lengthOf(unsaid([{ name: "friends", retention: KEPT, owners: { person: "external_user_ref" } }]), 2)
    assert.lengthOf(unsaid([{ name: "hats", retention: KEPT, owners: { character: "slug" } }]), 1)
    await sql`drop table diaries`
  })

  it("detect a missing table, a missing column and a wrong order", () => {
    const one: Table = { name: "one", retention: KEPT, owners: { app: "app_id" } }
    const two: Table = { name: "two", retention: KEPT, owners: { app: "app_id" } }
    assert.lengthOf(undeclared([], [one]), 1)
    assert.lengthOf(wrongOwners([{ table: "one", column: "id" }], [one]), 1)
    const reference = { from: "two", to: "one", cascades: false }
    assert.lengthOf(wrongOrder([reference], [one, two], "app"), 1)
    assert.deepStrictEqual(wrongOrder([reference], [two, one], "app"), [])
  })
})
