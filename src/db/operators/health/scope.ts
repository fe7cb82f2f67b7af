import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/** Maximum number of rows of one kind. More are not read: the answer says so (`complete`). */
export const MOST = 1000

/** Limits rows to one app. Null: those of all apps. */
export const ofApp = (sql: Sql, column: Query, appId: string | null) =>
  appId === null ? sql`` : sql`and ${column} = ${appId}`
