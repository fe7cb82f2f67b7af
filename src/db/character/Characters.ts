import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { isDeepStrictEqual } from "node:util"
import { assess, byRules } from "#pipeline/readiness/assess.ts"
import type { ReadinessStatus } from "#pipeline/readiness/Readiness.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { withLoreIds } from "./loreIds.ts"
import { QuotaReached, quotasOf } from "#src/db/tenancy/quotas.ts"
import { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

export interface StoredCharacter {
  readonly slug: string
  readonly version: number
  readonly status: "active" | "archived"
  readonly profile: Readonly<Record<string, unknown>>
  /** As it was found when the version was written, or looked at since. */
  readonly readiness: ReadinessStatus
  readonly checked_at: Date
  readonly created_at: Date
  readonly updated_at: Date
  /** The import that it was last made of or changed by. */
  readonly import_id: string | null
}

/** What made a version, where that was not the app's own hand. */
export interface SourceRef {
  readonly kind: "finding"
  readonly id: string
}

/** `archivedAt`: the version of the character that has it, if that is archived. */
export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", {
  archivedAt: Schema.NullOr(Schema.Int)
}) {}
export class VersionNotFound extends Schema.TaggedError<VersionNotFound>()("VersionNotFound", {}) {}

export interface CharacterVersion {
  readonly version: number
  readonly display_name: string
  readonly current: boolean
  readonly source_ref: SourceRef | null
  readonly created_at: Date
}

export interface CharacterFilter {
  readonly status: string | null
  /** Part of the slug or of the display name. */
  readonly search: string | null
  /** Slugs after this one. */
  readonly after: string | null
  readonly limit: number
}

/** What of a profile decides when the character writes first. */
const OF_ITS_OWN_ACCORD = ["behavioral_thresholds", "life_rhythm"] as const
const authoredOf = (profile: object, field: string): unknown =>
  (profile as Readonly<Record<string, unknown>>)[field] ?? null

/** Characters of an app. A change writes a new version; what was written stays. */
export class Characters extends Context.Service<
  Characters,
  {
    readonly create: (
      appId: string,
      slug: string,
      profile: object
    ) => Effect.Effect<StoredCharacter, SlugTaken | QuotaReached | DatabaseError>
    readonly get: (appId: string, slug: string) => Effect.Effect<StoredCharacter | undefined, DatabaseError>
    readonly list: (
      appId: string,
      filter: CharacterFilter
    ) => Effect.Effect<ReadonlyArray<StoredCharacter>, DatabaseError>
    /** `change` makes the next profile of the present one, under the row's lock. Undefined: no such character. */
    readonly update: <E>(
      appId: string,
      slug: string,
      expectedVersion: number | undefined,
      change: (profile: StoredCharacter["profile"]) => Effect.Effect<object, E>,
      sourceRef?: SourceRef
    ) => Effect.Effect<StoredCharacter | undefined, E | VersionConflict | DatabaseError>
    /** From the newest on, those before `before`. Undefined: no such character. */
    readonly versions: (
      appId: string,
      slug: string,
      page: { readonly before: number | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<CharacterVersion> | undefined, DatabaseError>
    /**
     * Writes an old version again, as the newest one; an archived character is active again. Undefined: no such
     * character.
     */
    readonly restore: (
      appId: string,
      slug: string,
      version: number
    ) => Effect.Effect<StoredCharacter | undefined, VersionNotFound | DatabaseError>
    /** Notes how a version has been found by now. */
    readonly noteReadiness: (
      appId: string,
      slug: string,
      version: number,
      status: ReadinessStatus
    ) => Effect.Effect<void, DatabaseError>
    /** Only its own row: see CharacterArchival. Joins the transaction of the caller. */
    readonly archive: (appId: string, slug: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/character/Characters") {
  static readonly layer = Layer.effect(
    Characters,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const quotas = quotasOf(database)

      const columns = (sql: Sql) =>
        sql`c.slug, c.version, c.status, v.profile, coalesce(v.readiness, 'ready') as readiness, coalesce(v.checked_at,
          v.created_at) as checked_at, c.created_at, c.updated_at, c.import_id`

      const writeVersion = (
        appId: string,
        slug: string,
        version: number,
        profile: object,
        sourceRef: SourceRef | null
      ) =>
        query(
          (sql) => sql`
      insert into character_versions (app_id, slug, version, profile, readiness, checked_at, source_ref)
      values (${appId}, ${slug}, ${version},
        ${JSON.stringify(withLoreIds(profile))}::text::jsonb,
          ${assess(byRules(slug, profile)).status}, now(),
            ${sourceRef === null ? null : JSON.stringify(sourceRef)}::text::json)`
        )

      const get = (appId: string, slug: string) =>
        query<Array<StoredCharacter>>(
          (sql) => sql`
        select ${columns(sql)}
        from characters c join character_versions v using (app_id, slug, version)
        where c.app_id = ${appId} and c.slug = ${slug}`
        ).pipe(Effect.map((rows) => rows[0]))

      const create = Effect.fnUntraced(function* (appId: string, slug: string, profile: object) {
        if (yield* quotas.isUsedUp(appId, "characters")) return yield* new QuotaReached()
        const made = yield* query(
          (sql) => sql`
        insert into characters (app_id, slug, version) values (${appId}, ${slug}, 1) on conflict do nothing returning 1`
        )
        if (made.length === 0) {
          const holder = yield* get(appId, slug)
          return yield* new SlugTaken({ archivedAt: holder?.status === "archived" ? holder.version : null })
        }
        yield* writeVersion(appId, slug, 1, profile, null)
        yield* quotas.count(appId, "characters")
        const character = yield* get(appId, slug)
        return character ?? (yield* Effect.die(new Error("a character just written is gone")))
      }, transaction)

      /** Has its sessions looked at anew: it may now write first in them, or not any more. */
      const lookAgainAtAll = (appId: string, slug: string) =>
        query(
          (sql) => sql`
      insert into relationships (app_id, session_id, initiate_at)
      select app_id, session_id, now() from sessions join session_logs using (app_id, session_id)
        where app_id = ${appId} and character_slug = ${slug} and status = 'active' order by session_id
      on conflict (app_id, session_id) do update set initiate_at = now()`
        )

      /** Under the lock of the character's row. */
      const writeNext = Effect.fnUntraced(function* (
        appId: string,
        { slug, version: present, profile: before }: StoredCharacter,
        profile: object,
        sourceRef: SourceRef | null = null
      ) {
        const version = present + 1
        yield* writeVersion(appId, slug, version, profile, sourceRef)
        yield* query(
          (sql) =>
            sql`update characters set version =
              ${version}, updated_at = now() where app_id = ${appId} and slug = ${slug}`
        )
        if (
          OF_ITS_OWN_ACCORD.some((field) => !isDeepStrictEqual(authoredOf(profile, field), authoredOf(before, field)))
        )
          yield* lookAgainAtAll(appId, slug)
        return yield* get(appId, slug)
      })

      const update = <E>(
        appId: string,
        slug: string,
        expectedVersion: number | undefined,
        change: (profile: StoredCharacter["profile"]) => Effect.Effect<object, E>,
        sourceRef?: SourceRef
      ) =>
        transaction(
          Effect.gen(function* () {
            yield* query((sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for update`)
            const present = yield* get(appId, slug)
            if (present === undefined) return undefined
            if (expectedVersion !== undefined && expectedVersion !== present.version)
              return yield* new VersionConflict({ current: present.version })
            return yield* writeNext(appId, present, yield* change(present.profile), sourceRef)
          })
        )

      const versions = Effect.fnUntraced(function* (
        appId: string,
        slug: string,
        { before, limit }: { readonly before: number | null; readonly limit: number }
      ) {
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

      const restore = Effect.fnUntraced(function* (appId: string, slug: string, version: number) {
        yield* query((sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for update`)
        const present = yield* get(appId, slug)
        if (present === undefined) return undefined
        const [old] = yield* query<Array<Pick<StoredCharacter, "profile">>>(
          (sql) => sql`
        select profile from character_versions where app_id = ${appId} and slug = ${slug} and version = ${version}`
        )
        if (old === undefined) return yield* new VersionNotFound()
        yield* query((sql) => sql`update characters set status = 'active' where app_id = ${appId} and slug = ${slug}`)
        return yield* writeNext(appId, present, old.profile)
      }, transaction)

      const archive = (appId: string, slug: string) =>
        Effect.asVoid(
          query(
            (sql) => sql`
        update characters set status = 'archived', updated_at = now()
          where app_id = ${appId} and slug = ${slug} and status <> 'archived'`
          )
        )

      const list = (appId: string, { status, search, after, limit }: CharacterFilter) =>
        query<Array<StoredCharacter>>(
          (sql) => sql`
        select ${columns(sql)}
        from characters c join character_versions v using (app_id, slug, version)
        where c.app_id = ${appId} and (${status}::text is null
          or c.status = ${status}) and (${after}::text is null or c.slug > ${after})
          and (${search}::text is null or strpos(lower(c.slug || ' ' || (v.profile ->> 'display_name')),
            lower(${search})) > 0)
        order by c.slug limit ${limit}`
        )

      const noteReadiness = (appId: string, slug: string, version: number, status: ReadinessStatus) =>
        Effect.asVoid(
          query(
            (sql) => sql`
      update character_versions set readiness =
        ${status}, checked_at = now() where app_id =
          ${appId} and slug = ${slug} and version = ${version} and readiness is distinct from ${status}`
          )
        )

      return Characters.of({ create, get, list, update, versions, restore, noteReadiness, archive })
    })
  )
}
