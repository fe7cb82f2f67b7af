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
    owners: { ...OWNERS, session: "session_id" },
    erasure: { session: { before: discardImages } },
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
  { name: "assets", owners: OWNERS, copied: NOT_PLAYED },
  { name: "visual_identities", owners: OWNERS, copied: NOT_PLAYED },
  {
    name: "stored_objects",
    owners: { app: "app_id" },
    erasure: {
      app: {
        before: (sql, { appId }) =>
          discardObjects(sql, appId, sql`select object_key from stored_objects where app_id = ${appId}`),
        kept: "a job removes what was discarded, and then the row"
      }
    }
  },
  {
    name: "object_contents",
    owners: { app: "app_id" },
    erasure: { app: { kept: "a job removes the contents that were discarded" } }
  },
  { name: "import_images", owners: { app: "app_id" } },
  { name: "imports", owners: OWNERS, copied: NOT_PLAYED },
  {
    name: "character_versions",
    owners: { app: "app_id", character: "slug" },
    copied: (sql, { appId, slug, version, to }) => sql`
      insert into character_versions (app_id, slug, version, profile)
      select ${to}, slug, version, profile from character_versions
        where app_id = ${appId} and slug = ${slug} and version = ${version} on conflict do nothing`
  },
  {
    name: "characters",
    owners: { app: "app_id", character: "slug" },
    copied: (sql, { slug, version, to }) => sql`
      insert into characters (app_id, slug, version) values (${to}, ${slug}, ${version}) on conflict do nothing`
  },
  { name: "signing_keys", owners: {} }
]
