import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReadinessStatus } from "#pipeline/readiness/Readiness.ts"
import type { EvalStatus } from "#src/db/evals/EvalRuns.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { has, microseconds, timeOf } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

/** Null: not filtered by it. */
export interface FleetCharacterFilter {
  readonly appId: string | null
  /** Part of the name or slug. */
  readonly name: string | null
  readonly status: "active" | "archived" | null
  readonly readiness: ReadinessStatus | null
}

export interface FleetCharacter {
  readonly app_id: string
  readonly app_name: string
  readonly slug: string
  readonly display_name: string
  readonly version: number
  readonly status: "active" | "archived"
  /** As it was last assessed. */
  readonly readiness: ReadinessStatus
  readonly updated_at: Date
  /** `updated_at` in microseconds. */
  readonly position: number
}

/** Where a page ends, in the order of the list. */
export interface CharacterPosition extends CharacterRef {
  readonly at: number
}
/** Characters that are looked through for one page. So a page can be short, and still not be the last. */
const MAX_SCANNED = 5_000

/** A version as its author wrote it. */
export interface StoredProfile {
  readonly version: number
  readonly profile: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

/** One run of a suite with a character. */
export interface EvalOutcome {
  readonly run_id: string
  /** Null: the suite was deleted. */
  readonly suite_name: string | null
  readonly character_version: number
  readonly engine: string
  readonly status: EvalStatus
  readonly verdict: "pass" | "fail" | null
  /** From 0 to 1. Null: nothing was judged. */
  readonly pass_rate: number | null
  readonly spent_micro_usd: number
  readonly created_at: Date
}

export interface CharacterRef {
  readonly appId: string
  readonly slug: string
}

/** Characters of all apps. */
export class FleetCharacters extends Context.Service<
  FleetCharacters,
  {
    /** Those first that were changed last. `next`: where to continue. Null: this is the end. */
    readonly list: (
      filter: FleetCharacterFilter,
      page: { readonly after: CharacterPosition | null; readonly limit: number }
    ) => Effect.Effect<
      { readonly rows: ReadonlyArray<FleetCharacter>; readonly next: CharacterPosition | null },
      DatabaseError
    >
    readonly count: (filter: FleetCharacterFilter) => Effect.Effect<Total, DatabaseError>
    /** Undefined: no such character. */
    readonly get: (ref: CharacterRef) => Effect.Effect<FleetCharacter | undefined, DatabaseError>
    /** Those of these versions that exist, the oldest first. */
    readonly profiles: (
      ref: CharacterRef,
      versions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<StoredProfile>, DatabaseError>
    /** The latest runs of suites, newest first. */
    readonly evals: (ref: CharacterRef, limit: number) => Effect.Effect<ReadonlyArray<EvalOutcome>, DatabaseError>
  }
>()("src/db/operators/FleetCharacters") {
  static readonly layer = Layer.effect(
    FleetCharacters,
    Effect.gen(function* () {
      const { query } = yield* Database

      const columns = (sql: Sql) => sql`
        c.app_id, a.name as app_name, c.slug, coalesce(v.profile ->> 'display_name', c.slug) as display_name, c.version,
        c.status, coalesce(v.readiness, 'ready') as readiness, c.updated_at,
        ${microseconds(sql, sql`c.updated_at`)} as position`
      const joined = (sql: Sql) =>
        sql`join character_versions v using (app_id, slug, version) join apps a using (app_id)`
      const order = (sql: Sql) => sql`c.updated_at desc, c.app_id desc, c.slug desc`

      const scanned = (sql: Sql, { appId }: FleetCharacterFilter, after: CharacterPosition | null) => sql`
        select c.* from characters c
        where ${appId === null ? sql`not starts_with(c.app_id, 'evr_')` : sql`c.app_id = ${appId}`}
          and ${
            after === null
              ? sql`true`
              : sql`(c.updated_at, c.app_id, c.slug) < (${timeOf(sql, after.at)}, ${after.appId}, ${after.slug})`
          }
        order by ${order(sql)} limit ${MAX_SCANNED}::int`
      const matches = (sql: Sql, { name, status, readiness }: FleetCharacterFilter) => sql`
        ${has(sql, sql`c.slug || ' ' || coalesce(v.profile ->> 'display_name', '')`, name)}
        and (${status}::text is null or c.status = ${status})
        and (${readiness}::text is null or coalesce(v.readiness, 'ready') = ${readiness})`

      const list = Effect.fnUntraced(function* (
        filter: FleetCharacterFilter,
        { after, limit }: { readonly after: CharacterPosition | null; readonly limit: number }
      ) {
        const rows = yield* query<Array<FleetCharacter>>(
          (sql) => sql`
          select ${columns(sql)} from (${scanned(sql, filter, after)}) c ${joined(sql)}
          where ${matches(sql, filter)} order by ${order(sql)} limit ${limit + 1}::int`
        )
        if (rows.length > limit) {
          const { position: at, app_id: appId, slug } = rows[limit - 1]!
          return { rows: rows.slice(0, limit), next: { at, appId, slug } }
        }
        const [next = null] = yield* query<Array<CharacterPosition>>(
          (sql) => sql`
          select ${microseconds(sql, sql`c.updated_at`)} as at, c.app_id as "appId", c.slug
          from (${scanned(sql, filter, after)}) c order by ${order(sql)} offset ${MAX_SCANNED - 1}::int limit 1`
        )
        return { rows, next }
      })

      return FleetCharacters.of({
        list,
        count: (filter) =>
          query<Array<{ found: number; scanned: number }>>(
            (sql) => sql`
            with c as materialized (${scanned(sql, filter, null)})
            select (select count(*)::int from (
                select c.slug from c ${joined(sql)} where ${matches(sql, filter)} limit ${MAX_COUNTED + 1}::int
              ) f) as found, (select count(*)::int from c) as scanned`
          ).pipe(Effect.map(([row]) => totalOf(row!.found, row!.scanned < MAX_SCANNED))),
        get: ({ appId, slug }) =>
          query<Array<FleetCharacter>>(
            (sql) =>
              sql`
              select ${columns(sql)} from characters c ${joined(sql)}
              where c.app_id = ${appId} and c.slug = ${slug}`
          ).pipe(Effect.map(([row]) => row)),
        profiles: ({ appId, slug }, versions) =>
          query<Array<StoredProfile>>(
            (sql) => sql`
            select version, profile, created_at from character_versions
            where app_id = ${appId} and slug = ${slug} and version = any(${versions}::int[]) order by version`
          ),
        evals: ({ appId, slug }, limit) =>
          query<Array<EvalOutcome>>(
            (sql) => sql`
            select r.run_id, s.name as suite_name, r.character_version, r.engine, r.status, r.verdict,
              (r.metrics -> 'pass_rate' ->> 'mean')::float8 as pass_rate, r.spent_micro_usd, r.created_at
            from eval_runs r left join eval_suites s using (app_id, suite_id)
            where r.app_id = ${appId} and r.character_slug = ${slug} order by r.run_id desc limit ${limit}::int`
          )
      })
    })
  )
}
