import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { Erasure, Owner, Scope, Scopes, Statement, Table } from "./Table.ts"
import { Tables } from "./Tables.ts"

/** Whose column finds the rows of a scope. */
const OWNERS: Readonly<Record<Scope, Owner>> = {
  session: "session",
  traces: "person",
  chats: "person",
  person: "person",
  app: "app"
}
/** The scopes in which rows are deleted though their table does not say so. */
const DELETED: ReadonlySet<Scope> = new Set(["session", "app"])

/** How a table takes part in a scope; undefined: it does not. */
export const erasureOf = <S extends Scope>(table: Table, scope: S): Erasure<Scopes[S]> | undefined =>
  (table.erasure?.[scope] as Erasure<Scopes[S]> | undefined) ??
  (DELETED.has(scope) && table.owners[OWNERS[scope]] !== undefined ? "deleted" : undefined)

const plainDelete =
  <S extends Scope>({ name, owners }: Table, scope: S): Statement<Scopes[S]> =>
  (sql, { appId, ...of }) => {
    const column: string = owners[OWNERS[scope]] ?? ""
    if ("sessionIds" in of)
      return sql`
        delete from ${sql(name)} where app_id = ${appId}
          and ${sql(column)} = any(${of.sessionIds as Array<string>}::text[])`
    if ("externalUserRef" in of)
      return sql`
        delete from ${sql(name)} where app_id = ${appId} and ${sql(column)} = ${of.externalUserRef as string}`
    return sql`delete from ${sql(name)} where ${sql(column)} = ${appId}`
  }

const beforeOf = <S extends Scope>(table: Table, scope: S): Statement<Scopes[S]> | undefined => {
  const erasure = erasureOf(table, scope)
  return typeof erasure === "object" ? erasure.before : undefined
}

const rowsOf = <S extends Scope>(table: Table, scope: S): Statement<Scopes[S]> | undefined => {
  const erasure = erasureOf(table, scope)
  if (typeof erasure === "object" && erasure.instead !== undefined) return erasure.instead
  if (erasure === undefined || (typeof erasure === "object" && erasure.kept !== undefined)) return undefined
  // What only does something beforehand may have no rows of that owner.
  return table.owners[OWNERS[scope]] === undefined ? undefined : plainDelete(table, scope)
}

/** The statements that erase a scope, in their order. */
export const statementsOf = <S extends Scope>(
  tables: ReadonlyArray<Table>,
  scope: S
): ReadonlyArray<Statement<Scopes[S]>> =>
  [beforeOf, rowsOf].flatMap((statementOf) =>
    tables.map((table) => statementOf(table, scope)).filter((statement) => statement !== undefined)
  )

/** Erases a scope within the transaction of the caller, who holds the locks. */
export const erase = Effect.fnUntraced(function* <S extends Scope>(scope: S, of: Scopes[S]) {
  const { query } = yield* Database
  for (const statement of statementsOf(yield* Tables, scope)) yield* query((sql) => statement(sql, of))
})
