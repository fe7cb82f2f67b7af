import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database, Sql } from "#src/db/postgres/Database.ts"
import { type FittingRow, fitsOnPage, listed } from "#src/db/postgres/fittingRows.ts"
import type { CharacterFilter, CharacterVersion, StoredCharacter, VersionPage } from "./Characters.ts"

const columns = (sql: Sql) =>
  sql`c.slug, c.version, c.status, v.profile, coalesce(v.readiness, 'ready') as readiness, coalesce(v.checked_at,
    v.created_at) as checked_at, c.created_at, c.updated_at, c.import_id`

/** Queries for characters and their versions. */
export const makeCharacterReader = ({ query }: Context.Service.Shape<typeof Database>) => {
  const get = (appId: string, slug: string) =>
    query<Array<StoredCharacter>>(
      (sql) => sql`
    select ${columns(sql)}
    from characters c join character_versions v using (app_id, slug, version)
    where c.app_id = ${appId} and c.slug = ${slug}`
    ).pipe(Effect.map((rows) => rows[0]))

  const list = (appId: string, { status, search, after, limit }: CharacterFilter) =>
    query<Array<FittingRow<StoredCharacter, "profile">>>(
      (sql) => sql`
    select slug, version, status, case when fits then profile end as profile, readiness, checked_at, created_at,
      updated_at, import_id, fits
    from (
      select ${columns(sql)}, ${fitsOnPage(sql, sql`p.bytes`, sql`c.slug`)}
      from characters c join character_versions v using (app_id, slug, version)
        cross join lateral (select octet_length(v.profile::text) as bytes offset 0) p
      where c.app_id = ${appId} and (${status}::text is null
        or c.status = ${status}) and (${after}::text is null or c.slug > ${after})
        and (${search}::text is null or strpos(lower(c.slug || ' ' || (v.profile ->> 'display_name')),
          lower(${search})) > 0)
      order by c.slug limit ${limit + 1}
    ) page order by slug`
    ).pipe(
      Effect.map((rows) =>
        listed(rows, limit, ({ profile, ...row }) => (profile === null ? null : { ...row, profile }))
      )
    )

  const versions = Effect.fnUntraced(function* (appId: string, slug: string, { before, limit }: VersionPage) {
    const found = yield* query<Array<CharacterVersion>>(
      (sql) => sql`
    select v.version, v.profile ->> 'display_name' as display_name, v.version = c.version as current, v.source_ref,
      v.created_at
    from characters c join character_versions v using (app_id, slug)
    where c.app_id = ${appId} and c.slug = ${slug} and (${before}::int is null or v.version < ${before})
    order by v.version desc limit ${limit}`
    )
    return found.length > 0 || (yield* get(appId, slug)) !== undefined ? found : undefined
  })

  return { get, list, versions }
}
