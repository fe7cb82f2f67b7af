import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database, Sql } from "#src/db/postgres/Database.ts"
import type { CharacterRef } from "./Evidence.ts"
import type { ResearchFilter, Run, StoredResearch } from "./Research.ts"

export const columns = (
  sql: Sql
) => sql`r.app_id, r.slug, r.research_id, r.run_ref, r.question, r.purpose, r.status, r.attempts, r.max_micro_usd,
  r.held_micro_usd, r.spent_micro_usd, r.error_code, r.created_at, r.started_at, r.finished_at,
  (select coalesce(json_agg(json_build_object('place', s.place, 'kind', s.kind, 'url', s.url, 'evidence_id',
    s.evidence_id, 'title', s.title, 'status', s.status, 'parts_read', s.parts_read, 'parts', s.parts, 'error_code',
      s.error_code) order by s.place), '[]')
    from research_sources s where s.app_id = r.app_id and s.slug = r.slug and s.research_id = r.research_id) as sources,
  (select count(*)::int from findings f where f.app_id = r.app_id and f.slug = r.slug
    and f.research_id = r.research_id) as found`

/** Queries for runs with their sources. */
export const makeResearchReader = ({ query }: Context.Service.Shape<typeof Database>) => ({
  get: ({ appId, slug }: CharacterRef, id: string) =>
    query<Array<StoredResearch>>(
      (sql) => sql`
  select ${columns(sql)} from research r where r.app_id = ${appId} and r.slug = ${slug} and r.research_id = ${id}`
    ).pipe(Effect.map((rows) => rows[0])),
  list: ({ appId, slug }: CharacterRef, { status, before, limit }: ResearchFilter) =>
    query<Array<StoredResearch>>(
      (sql) => sql`
        select ${columns(sql)} from research r
          where r.app_id = ${appId} and r.slug = ${slug} ${
            status === null
              ? sql``
              : sql`and r.status =
            ${status}`
          } ${before === null ? sql`` : sql`and r.research_id < ${before}`}
        order by r.research_id desc limit ${limit}::int`
    ),
  /** Locks the run's row. Returns whether this worker still has the run. */
  isOurs: (owner: string, { app_id, slug, research_id }: Run) =>
    query(
      (sql) => sql`
  select 1 from research where app_id =
    ${app_id} and slug = ${slug} and research_id =
      ${research_id} and owner = ${owner} and status = 'running' for update`
    ).pipe(Effect.map((rows) => rows.length > 0))
})
