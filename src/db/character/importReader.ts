import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database, Sql } from "#src/db/postgres/Database.ts"
import type { ImportPage, ListedImport, StoredImport } from "./Imports.ts"

const columns = (sql: Sql) => sql`
import_id, case when status in ('needs_review', 'ready') and expires_at <= now() then 'expired' else status
  end as status, mode, target_slug, format, filename, content_hash, character_slug,
created_at, updated_at, expires_at, committed_at`

/** Queries for imports. */
export const makeImportReader = ({ query }: Context.Service.Shape<typeof Database>) => {
  const get = (appId: string, importId: string) =>
    query<Array<StoredImport>>(
      (sql) => sql`
    select ${columns(sql)}, bundle, report, accepted_warnings from imports
      where app_id = ${appId} and import_id = ${importId}`
    ).pipe(Effect.map(([stored]) => stored))
  const countOpen = (appId: string) =>
    query<[{ waiting: number }]>(
      (sql) => sql`
    select count(*)::int as waiting from imports
    where app_id = ${appId} and status in ('needs_review', 'ready') and expires_at > now()`
    ).pipe(Effect.map(([{ waiting }]) => waiting))
  const list = (appId: string, { status, before, limit }: ImportPage) =>
    query<Array<ListedImport>>(
      (sql) => sql`
    select * from (select ${columns(sql)} from imports where app_id = ${appId}) i
    where (${status}::text is null or status = ${status}) and (${before}::text is null or import_id < ${before})
    order by import_id desc limit ${limit}::int`
    )
  /** Locks the row and returns it. */
  const lock = (appId: string, importId: string) =>
    Effect.andThen(
      query((sql) => sql`select 1 from imports where app_id = ${appId} and import_id = ${importId} for update`),
      get(appId, importId)
    )
  const written = (appId: string, importId: string) =>
    Effect.flatMap(get(appId, importId), (stored) =>
      stored === undefined ? Effect.die(new Error("an import just written is gone")) : Effect.succeed(stored)
    )
  const image = (appId: string, importId: string, sha256: string) =>
    query<Array<{ content: Uint8Array }>>(
      (sql) => sql`
  select content from import_images where app_id = ${appId} and import_id = ${importId} and sha256 = ${sha256}`
    ).pipe(Effect.map(([row]) => row?.content))

  return { get, countOpen, list, image, lock, written }
}
