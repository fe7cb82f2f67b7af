import { recordUsage } from "#src/db/billing/moneyStatements.ts"
import { PRICE_VERSION } from "#src/model/prices.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { iso } from "#src/db/postgres/moments.ts"
import type { PageOf, SessionsOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"
import { discardObjects } from "./discardObjects.ts"

const OWNERS = { app: "app_id", character: "character_slug" } as const
const NOT_PLAYED = { not: "evals see no pictures, and import nothing" }

const discardImages: Statement<SessionsOf> = (sql, { appId, sessionIds }) =>
  discardObjects(
    sql,
    appId,
    sql`select object_key from images where app_id = ${appId} and session_id = any(${[...sessionIds]}::text[])`
  )

/** What was paid for pictures that nobody has begun to make. */
const refundUnmade: Statement<SessionsOf> = (sql, { appId, sessionIds }) => sql`
  with unmade as (
    select i.app_id, i.run_ref, i.session_id, c.external_user_ref, now() as at, -i.price_micro_usd as amount, 0 as sent
    from images i join sessions c using (app_id, session_id)
    where i.app_id = ${appId} and i.session_id = any(${[...sessionIds]}::text[]) and i.status = 'queued'
      and i.price_micro_usd is not null
  ), refunded as (
    insert into ledger (app_id, run_ref, session_id, activity, entry, amount_micro_usd, price_version, pictures)
    select app_id, run_ref, session_id, 'image', 'settle', amount, ${PRICE_VERSION}, -1 from unmade
  )
  ${recordUsage(sql, "unmade")}`

/** As over the API: only what is ready can be seen. */
const isShown = (sql: Sql) => sql`status = 'ready' and object_key is not null`
const pathOf = (sql: Sql) => sql`
  'pictures/' || image_id || case media_type when 'image/png' then '.png' when 'image/jpeg' then '.jpg'
    when 'image/webp' then '.webp' else '' end`

const imageRows: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select r.image_request_id as at, to_json(r)::text as row from (
    select image_id as image_request_id, session_id, character_slug, kind, prompt, caption, size, status,
      visible_description, case when ${isShown(sql)} then ${pathOf(sql)}
        end as file, media_type, width, height, ${iso(sql, "created_at")}
    from images where app_id = ${appId} and session_id = ${sessionId} and image_id > ${after}
    order by image_id limit ${limit}::int
  ) r order by r.image_request_id`
const imageObjects: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select image_id as at, object_key, ${pathOf(sql)} as path from images
  where app_id = ${appId} and session_id = ${sessionId} and image_id > ${after} and ${isShown(sql)}
  order by image_id limit ${limit}::int`

export const tables: ReadonlyArray<Table> = [
  {
    name: "images",
    retention: { bounded: "one row for each picture, which the app pays for; erased with the session" },
    owners: { ...OWNERS, session: "session_id" },
    erasure: { session: { before: refundUnmade } },
    copied: NOT_PLAYED,
    exported: {
      file: "pictures.json",
      about: "The pictures that were made in their sessions. The files are in the folder pictures.",
      shape: "array",
      by: "session",
      rows: imageRows,
      objects: imageObjects
    }
  },
  {
    name: "assets",
    retention: { bounded: "the pictures that the app has uploaded" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "visual_identities",
    retention: { bounded: "one row for each character" },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "stored_objects",
    retention: { bounded: "one row for each picture and part of an export; removed with its content" },
    owners: { app: "app_id" },
    erasure: {
      session: { before: discardImages },
      app: {
        before: (sql, { appId }) =>
          discardObjects(sql, appId, sql`select object_key from stored_objects where app_id = ${appId}`),
        kept: "a job removes what was discarded, and then the row"
      }
    }
  },
  {
    name: "object_contents",
    retention: { bounded: "the pictures and exports themselves" },
    owners: { app: "app_id" },
    erasure: { app: { kept: "a job removes the contents that were discarded" } }
  },
  {
    name: "failed_imports",
    retention: { bounded: "the latest 20 of each app" },
    owners: { app: "app_id" }
  },
  {
    name: "import_images",
    retention: { bounded: "seven days, or until the import is committed or discarded" },
    owners: { app: "app_id" }
  },
  {
    name: "imports",
    retention: {
      setting: "IMPORT_RETENTION_DAYS",
      rows: "when they are committed; others are deleted 30 days after they are closed"
    },
    owners: OWNERS,
    copied: NOT_PLAYED
  },
  {
    name: "character_versions",
    retention: { kept: "sessions and evals refer to the version that they were played with" },
    owners: { app: "app_id", character: "slug" },
    copied: (sql, { appId, slug, version, to }) => sql`
      insert into character_versions (app_id, slug, version, profile)
      select ${to}, slug, version, profile from character_versions
        where app_id = ${appId} and slug = ${slug} and version = ${version} on conflict do nothing`
  },
  {
    name: "characters",
    retention: { bounded: "one row for each character" },
    owners: { app: "app_id", character: "slug" },
    copied: (sql, { slug, version, to }) => sql`
      insert into characters (app_id, slug, version) values (${to}, ${slug}, ${version}) on conflict do nothing`
  },
  { name: "signing_keys", retention: { bounded: "one row for each key" }, owners: {} }
]
