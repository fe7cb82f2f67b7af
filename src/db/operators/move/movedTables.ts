import type { Table } from "#src/db/postgres/catalogue/Table.ts"
import type { Sql } from "#src/db/postgres/postgres.ts"

/** A table of which an app has rows, and the statements that move them. */
export interface MovedTable {
  readonly name: string
  /** Writes the app's rows to the client. */
  readonly copyOut: string
  readonly copyIn: string
  /** The number of the app's rows, and a checksum of them in any order: here as they are copied, and there. */
  readonly checkHere: string
  readonly checkThere: string
  readonly remove: string
}

/** Values that a row has in the new cell: the column and its SQL literal. */
export type Replaced = Readonly<Record<string, string>>

const quoted = (name: string) => `"${name}"`

/** What two sides agree on if they have the same rows. */
export interface Checked {
  readonly rows: string
  readonly sum: string
}

const describeTable = (
  { name, owners, moved }: Table,
  columns: ReadonlyArray<string>,
  app: string,
  replaced: Replaced
): MovedTable => {
  const its = `from ${quoted(name)} where ${quoted(owners.app ?? "")} = ${app}`
  const some = moved !== undefined && "where" in moved ? ` and ${moved.where}` : ""
  const here = columns.map((column) => replaced[column] ?? quoted(column)).join(", ")
  const there = columns.map(quoted).join(", ")
  const check = (values: string) => `select count(*)::text as rows,
    coalesce(sum(hashtextextended(row(${values})::text collate "C", 0)::numeric), 0)::text as sum ${its}${some}`
  return {
    name,
    copyOut: `copy (select ${here} ${its}${some}) to stdout`,
    copyIn: `copy ${quoted(name)} (${there}) from stdin`,
    checkHere: check(here),
    checkThere: check(there),
    remove: `delete ${its}`
  }
}

/** The columns of each table, except computed ones. */
const readColumns = async (sql: Sql) => {
  const rows = await sql<Array<{ name: string; columns: ReadonlyArray<string> }>>`
    select c.relname::text as name, json_agg(a.attname order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' group by c.relname`
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

/**
 * The tables that the rows of an app are moved in, as the catalogue declares them: `copied` in an order in which each
 * row finds those that it refers to, `removed` in the opposite one.
 */
export const listMoved = async (sql: Sql, tables: ReadonlyArray<Table>, appId: string, accountId: string) => {
  const columns = await readColumns(sql)
  const [literals] = await sql<[{ app: string; account: string }]>`
    select quote_literal(${appId}) as app, quote_literal(${accountId}) as account`
  const described = (table: Table) =>
    describeTable(
      table,
      columns.get(table.name) ?? [],
      literals.app,
      table.name === "apps" ? { account_id: `${literals.account}::text` } : {}
    )
  const owned = tables.filter(({ owners }) => owners.app !== undefined)
  return {
    copied: owned
      .filter(({ moved }) => moved === undefined || "where" in moved)
      .map(described)
      .toReversed(),
    removed: owned.filter(({ moved }) => moved === undefined || !("stays" in moved)).map(described)
  }
}
