import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReadinessStatus } from "#pipeline/readiness/Readiness.ts"
import type { EvalStatus } from "#src/db/evals/EvalRuns.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { startsWith } from "./Position.ts"

/** Null: not filtered by it. */
export interface FleetCharacterFilter {
  readonly appId: string | null
  /** What the slug begins with. */
  readonly slugPrefix: string | null
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
}

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
    /** By app and slug, those after `after`. */
    readonly list: (
      filter: FleetCharacterFilter,
      page: { readonly after: CharacterRef | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<FleetCharacter>, DatabaseError>
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
        c.status, coalesce(v.readiness, 'ready') as readiness, c.updated_at`
      const source = (sql: Sql) => sql`
        from characters c join character_versions v using (app_id, slug, version) join apps a using (app_id)`

      return FleetCharacters.of({
        list: ({ appId, slugPrefix, status, readiness }, { after, limit }) =>
          query<Array<FleetCharacter>>(
            (sql) => sql`
            select ${columns(sql)} ${source(sql)}
            where ${appId === null ? sql`not starts_with(c.app_id, 'evr_')` : sql`c.app_id = ${appId}`}
              and ${after === null ? sql`true` : sql`(c.app_id, c.slug) > (${after.appId}, ${after.slug})`}
              and ${slugPrefix === null ? sql`true` : sql`c.slug like ${startsWith(slugPrefix)}`}
              and (${status}::text is null or c.status = ${status})
              and (${readiness}::text is null or coalesce(v.readiness, 'ready') = ${readiness})
            order by c.app_id, c.slug limit ${limit}::int`
          ),
        get: ({ appId, slug }) =>
          query<Array<FleetCharacter>>(
            (sql) => sql`select ${columns(sql)} ${source(sql)} where c.app_id = ${appId} and c.slug = ${slug}`
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
