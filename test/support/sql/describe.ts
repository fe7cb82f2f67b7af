import type postgres from "postgres"
import { firstNode, parseTree } from "./nodeTree.ts"
import { type Catalog, makeNullability, type Nullable } from "./Nullability.ts"
import type { Form } from "./statements.ts"
import type { Unknown } from "./Unknown.ts"

/** A type of PostgreSQL. */
export interface SqlType {
  readonly id: number
  readonly name: string
}

export interface Column {
  readonly name: string
  readonly type: SqlType
  readonly nullable: Nullable
}

export interface Description {
  readonly columns: ReadonlyArray<Column>
  /** A parameter: its type in PostgreSQL, and what is known about it from the sources. */
  readonly parameters: ReadonlyArray<{ readonly type: SqlType; readonly given: Unknown }>
}

interface Described {
  readonly string: string
  readonly types: ReadonlyArray<number>
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: number }>
}

const readCatalog = async (sql: postgres.Sql): Promise<Catalog & { readonly types: ReadonlyMap<number, string> }> => {
  const [columns, functions, types] = await Promise.all([
    sql<Array<{ place: string; table: number; nullable: boolean }>>`
      select attrelid::text || '.' || attnum as place, attrelid as table, not a.attnotnull as nullable
      from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relkind in ('r', 'p') and a.attnum > 0`,
    sql<Array<{ id: number; name: string; strict: boolean }>>`
      select oid as id, proname as name, proisstrict as strict from pg_proc where prokind in ('f', 'a')`,
    sql<Array<{ id: number; name: string }>>`select oid as id, format_type(oid, null) as name from pg_type`
  ])
  return {
    nullable: new Set(columns.filter(({ nullable }) => nullable).map(({ place }) => place)),
    tables: new Set(columns.map(({ table }) => table)),
    strict: new Set(functions.filter(({ strict }) => strict).map(({ id }) => id)),
    counts: new Set(functions.filter(({ name }) => name === "count").map(({ id }) => id)),
    types: new Map(types.map(({ id, name }) => [id, name]))
  }
}

/**
 * A statement as PostgreSQL has analyzed it. It prints that only for stored statements, such as the body of a function.
 */
const treeOf = async (sql: postgres.Sql, text: string, types: ReadonlyArray<SqlType>) => {
  const parameters = types.map(({ name }) => name).join(", ")
  await sql.unsafe(`create function pg_temp.statement(${parameters}) returns setof record begin atomic ${text}; end`)
  const [kept] = await sql<Array<{ body: string }>>`
    select prosqlbody::text as body from pg_proc
    where proname = 'statement' and pronamespace = pg_my_temp_schema()`
  await sql.unsafe("drop function pg_temp.statement")
  const tree = firstNode(parseTree(kept?.body ?? "<>"))
  if (tree === undefined) throw new Error("PostgreSQL shows no tree of the statement")
  return tree
}

/** Lets PostgreSQL prepare statements, and returns the types of their parameters and columns. Nothing is executed. */
export const describing = async (sql: postgres.Sql) => {
  const catalog = await readCatalog(sql)
  const nullabilityOf = makeNullability(catalog)
  const toType = (id: number): SqlType => ({ id, name: catalog.types.get(id) ?? "unknown" })
  /** `isRead`: whether the nullability of its columns is needed. */
  return async (form: Form, isRead: boolean): Promise<Description> => {
    const described = (await form.describe()) as unknown as Described
    const { parameters } = form as unknown as { readonly parameters: ReadonlyArray<Unknown> }
    const types = described.types.map(toType)
    const nullable = isRead ? nullabilityOf(await treeOf(sql, described.string, types), described.columns.length) : []
    return {
      columns: described.columns.map(({ name, type }, index) => ({
        name,
        type: toType(type),
        nullable: nullable[index] ?? "unknown"
      })),
      parameters: parameters.map((given, index) => ({ type: types[index] ?? toType(0), given }))
    }
  }
}
