import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { isDeepStrictEqual } from "node:util"
import { assess, byRules } from "#pipeline/readiness/assess.ts"
import type { ReadinessStatus } from "#pipeline/readiness/Readiness.ts"
import { inSlices } from "#src/db/postgres/inSlices.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Listed } from "#src/db/postgres/fittingRows.ts"
import { makeCharacterReader } from "./characterReader.ts"
import { withLoreIds } from "./loreIds.ts"
import { QuotaReached, quotasOf } from "#src/db/tenancy/quotas.ts"
import { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

export interface StoredCharacter {
  readonly slug: string
  readonly version: number
  readonly status: "active" | "archived"
  readonly profile: Readonly<Record<string, unknown>>
  /** As assessed when the version was written, or later. */
  readonly readiness: ReadinessStatus
  readonly checked_at: Date
  readonly created_at: Date
  readonly updated_at: Date
  /** The import that last created or changed it. */
  readonly import_id: string | null
}

/** The source of a version that the app did not write itself. */
export interface SourceRef {
  readonly kind: "finding"
  readonly id: string
}

/** `archivedAt`: the version of the character with this slug, if it is archived. */
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

export interface VersionPage {
  /** Versions before this one. */
  readonly before: number | null
  readonly limit: number
}

/** The parts of a profile that affect when the character writes first. */
const OF_ITS_OWN_ACCORD = ["behavioral_thresholds", "life_rhythm"] as const
const authoredOf = (profile: object, field: string): unknown =>
  (profile as Readonly<Record<string, unknown>>)[field] ?? null

/** Characters of an app. Each change writes a new version and keeps the old ones. */
export class Characters extends Context.Service<
  Characters,
  {
    readonly create: (
      appId: string,
      slug: string,
      profile: object
    ) => Effect.Effect<StoredCharacter, SlugTaken | QuotaReached | DatabaseError>
    readonly get: (appId: string, slug: string) => Effect.Effect<StoredCharacter | undefined, DatabaseError>
    /** By slug. A page of large characters has fewer than the limit. */
    readonly list: (appId: string, filter: CharacterFilter) => Effect.Effect<Listed<StoredCharacter>, DatabaseError>
    /** `change` returns the next profile for the current one, under a row lock. Undefined: no such character. */
    readonly update: <E>(
      appId: string,
      slug: string,
      expectedVersion: number | undefined,
      change: (profile: StoredCharacter["profile"]) => Effect.Effect<object, E>,
      sourceRef?: SourceRef
    ) => Effect.Effect<StoredCharacter | undefined, E | VersionConflict | DatabaseError>
    /** Newest first, those before `before`. Undefined: no such character. */
    readonly versions: (
      appId: string,
      slug: string,
      page: VersionPage
    ) => Effect.Effect<ReadonlyArray<CharacterVersion> | undefined, DatabaseError>
    /**
     * Writes an old version again as the newest one. An archived character becomes active again. Undefined: no such
     * character.
     */
    readonly restore: (
      appId: string,
      slug: string,
      version: number
    ) => Effect.Effect<StoredCharacter | undefined, VersionNotFound | DatabaseError>
    /** Stores a new readiness assessment of a version. */
    readonly noteReadiness: (
      appId: string,
      slug: string,
      version: number,
      status: ReadinessStatus
    ) => Effect.Effect<void, DatabaseError>
    /** Changes only its own row: see CharacterArchival. Joins the caller's transaction. */
    readonly archive: (appId: string, slug: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/character/Characters") {
  static readonly layer = Layer.effect(
    Characters,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const quotas = quotasOf(database)
      const { get, list, versions } = makeCharacterReader(database)

      const writeVersion = Effect.fnUntraced(function* (
        appId: string,
        slug: string,
        version: number,
        profile: object,
        sourceRef: SourceRef | null
      ) {
        const { status } = assess(yield* inSlices(appId, () => byRules(slug, profile)))
        yield* query(
          (sql) => sql`
      insert into character_versions (app_id, slug, version, profile, readiness, checked_at, source_ref)
      values (${appId}, ${slug}, ${version},
        ${JSON.stringify(withLoreIds(profile))}::text::jsonb,
          ${status}, now(),
            ${sourceRef === null ? null : JSON.stringify(sourceRef)}::text::json)`
        )
      })

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

      /** Schedules proactive checks of its sessions, because whether it may write first in them has changed. */
      const scheduleProactiveChecksOf = (appId: string, slug: string) =>
        query(
          (sql) => sql`
      insert into relationships (app_id, session_id, initiate_at)
      select app_id, session_id, now() from sessions join session_logs using (app_id, session_id)
        where app_id = ${appId} and character_slug = ${slug} and status = 'active' order by session_id
      on conflict (app_id, session_id) do update set initiate_at = now()`
        )

      /** The caller holds the lock on the character's row. */
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
          yield* scheduleProactiveChecksOf(appId, slug)
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
