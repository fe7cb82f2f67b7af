import type { Sql } from "#src/db/postgres/Database.ts"

export const lacking = (sql: Sql) => sql<Array<{ app_id: string; slug: string }>>`select app_id from characters`

export const unnamed = (sql: Sql) => sql<Array<{ app_id: string }>>`select app_id, slug from characters`

export const otherwise = (sql: Sql) => sql<Array<{ created_at: string; version: string }>>`
  select created_at, version from characters`

export const array = (sql: Sql) => sql<Array<{ events: ReadonlyArray<string> | null }>>`select events from channels`

export const empty = (sql: Sql) => sql<Array<{ display_name: string }>>`select display_name from end_users`

export const filled = (sql: Sql) => sql<Array<{ display_name: string }>>`
  select display_name from end_users where display_name is not null`

export const joined = (sql: Sql) => sql<Array<{ app_id: string; slug: string }>>`
  select a.app_id, c.slug from apps a left join characters c using (app_id)`

export const summed = (sql: Sql) => sql<Array<{ most: number; there: number }>>`
  select max(version) as most, count(*)::int as there from characters`

const older = (sql: Sql, isOlder: boolean) => (isOlder ? sql`and created_at < now()` : sql`and begun_at < now()`)
export const inOneForm = (sql: Sql, appId: string, isOlder: boolean) => sql<Array<{ slug: string }>>`
  select slug from characters where app_id = ${appId} ${older(sql, isOlder)}`

const TABLES: ReadonlyArray<{ readonly name: string; readonly owner?: string }> = [
  { name: "characters", owner: "app_id" },
  { name: "migrations" },
  { name: "worlds", owner: "begun_by" }
]
export const ofTables = (sql: Sql) =>
  TABLES.map(({ name, owner }) =>
    owner === undefined ? undefined : sql`delete from ${sql(name)} where ${sql(owner)} = ''`
  )

export const sent = (sql: Sql, version: number) => sql`delete from characters where slug = ${version}`

export const twice = (sql: Sql, fields: object) => sql`
  update worlds set revision = 1 where json_array_length(${JSON.stringify(fields)}::json) > 0`
