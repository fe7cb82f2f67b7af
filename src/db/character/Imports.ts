import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { isDeepStrictEqual } from "node:util"
import { newId } from "#pipeline/domain/Id.ts"
import { type Bundle, hashOf } from "#src/imports/Bundle.ts"
import type { Format } from "#src/imports/formats.ts"
import { EMPTY_REPORT, type ReportData } from "#src/imports/Report.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { makeExpireImports } from "./expireImports.ts"
import { makeImportReader } from "./importReader.ts"

/** How long an import waits for review. */
const KEPT = "7 days"
export type ImportStatus = "needs_review" | "ready" | "committed" | "discarded" | "expired"
export type OpenStatus = "needs_review" | "ready"

/** The content of an import. Kept while it is open, and once it is committed. */
export interface Content {
  readonly bundle: Bundle
  readonly report: ReportData
}

/** An import without its content. */
export interface ListedImport {
  readonly import_id: string
  readonly status: ImportStatus
  readonly mode: "create" | "update"
  readonly target_slug: string | null
  readonly format: Format
  readonly filename: string
  readonly content_hash: string | null
  readonly character_slug: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly expires_at: Date
  readonly committed_at: Date | null
}

export interface StoredImport extends ListedImport {
  readonly bundle: Bundle | null
  readonly report: ReportData
  readonly accepted_warnings: ReadonlyArray<string>
}

export interface NewImport extends Content {
  readonly status: OpenStatus
  readonly mode: StoredImport["mode"]
  readonly targetSlug: string | null
  readonly format: Format
  readonly filename: string
  readonly images: ReadonlyMap<string, Uint8Array>
  /** Maximum number of open imports of the app, including this one. */
  readonly mostOpen: number
}

export interface ImportPage {
  readonly status: ImportStatus | null
  /** Those before this id. */
  readonly before: string | null
  readonly limit: number
}

/** The result of an import: the character, and what could not be used. */
export interface Written {
  readonly slug: string
  readonly dropped: ReportData["dropped"]
}

export interface Revision extends Content {
  readonly status: OpenStatus
  readonly accepted: ReadonlyArray<string>
}

/** `closed`: it is committed or discarded. `expired`: it was not committed in time. */
export class ImportClosed extends Schema.TaggedError<ImportClosed>()("ImportClosed", {
  status: Schema.Literals(["committed", "discarded", "expired"])
}) {}
export class TooManyImports extends Schema.TaggedError<TooManyImports>()("TooManyImports", {}) {}

/** An open import, which may be changed or committed. */
export type OpenImport = StoredImport & {
  readonly status: OpenStatus
  readonly content_hash: string
  readonly bundle: Bundle
}

const isOpen = (stored: StoredImport): stored is OpenImport =>
  stored.status === "needs_review" || stored.status === "ready"
const json = (value: unknown): string => JSON.stringify(value)

/**
 * Imports of an app, staged for review: needs_review or ready, depending on what was found and accepted, and finally
 * committed, discarded or expired. Exactly what was reviewed is committed, because a commit names its hash.
 */
export class Imports extends Context.Service<
  Imports,
  {
    readonly stage: (appId: string, made: NewImport) => Effect.Effect<StoredImport, TooManyImports | DatabaseError>
    /** The number of open imports. */
    readonly countOpen: (appId: string) => Effect.Effect<number, DatabaseError>
    readonly get: (appId: string, importId: string) => Effect.Effect<StoredImport | undefined, DatabaseError>
    /** Newest first, those before `before`. */
    readonly list: (appId: string, page: ImportPage) => Effect.Effect<ReadonlyArray<ListedImport>, DatabaseError>
    /**
     * `change` returns the next state for the current one, outside of any transaction. It runs again if another change
     * was written meanwhile. Undefined: no such import.
     */
    readonly revise: <E, R>(
      appId: string,
      importId: string,
      change: (open: OpenImport) => Effect.Effect<Revision, E, R>
    ) => Effect.Effect<StoredImport | undefined, E | ImportClosed | DatabaseError, R>
    /**
     * `write` writes the character in the same transaction. Null: it was already committed, and nothing is written.
     * Undefined: no such import.
     */
    readonly commit: <E, R>(
      appId: string,
      importId: string,
      write: (stored: StoredImport) => Effect.Effect<Written | null, E, R>
    ) => Effect.Effect<StoredImport | undefined, E | ImportClosed | DatabaseError, R>
    /** Deletes its content. Idempotent. Undefined: no such import. */
    readonly discard: (
      appId: string,
      importId: string
    ) => Effect.Effect<StoredImport | undefined, ImportClosed | DatabaseError>
    /** One of the images in an import. */
    readonly image: (
      appId: string,
      importId: string,
      sha256: string
    ) => Effect.Effect<Uint8Array | undefined, DatabaseError>
    /** Closes expired imports, and deletes those that were closed without a character long ago. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/character/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const { get, countOpen, list, image, lock, written } = makeImportReader(database)
      const closed = ({ status }: StoredImport) =>
        new ImportClosed({ status: status === "committed" || status === "discarded" ? status : "expired" })

      const stage = Effect.fnUntraced(function* (
        appId: string,
        { status, mode, targetSlug, format, filename, bundle, report, images, mostOpen }: NewImport
      ) {
        // Serializes creation, so that the limit is exact.
        yield* query((sql) => sql`select 1 from apps where app_id = ${appId} for no key update`)
        if ((yield* countOpen(appId)) >= mostOpen) return yield* new TooManyImports()
        const importId = newId("imp")
        yield* query(
          (sql) => sql`
        insert into imports (app_id, import_id, status, mode, target_slug, format, filename, content_hash, bundle,
          report, expires_at)
        values (${appId}, ${importId},
          ${status}, ${mode}, ${targetSlug},
            ${format}, ${filename}, ${hashOf(bundle)},
              ${json(bundle)}::text::json, ${json(report)}::text::json, now() + ${KEPT}::interval)`
        )
        for (const [sha256, content] of images) {
          yield* query(
            (sql) =>
              sql`insert into import_images (app_id, import_id, sha256, content)
                values (${appId}, ${importId}, ${sha256}, ${content})`
          )
        }
        return yield* written(appId, importId)
      }, transaction)

      /** Writes a revision. Null: the import has changed since it was read. */
      const writeRevision = (
        appId: string,
        importId: string,
        read: StoredImport,
        { status, bundle, report, accepted }: Revision
      ) =>
        transaction(
          Effect.gen(function* () {
            const stored = yield* lock(appId, importId)
            if (stored === undefined) return undefined
            if (!isOpen(stored)) return yield* closed(stored)
            if (!isDeepStrictEqual(stored, read)) return null
            yield* query(
              (sql) => sql`
          update imports set status = ${status},
            content_hash = ${hashOf(bundle)},
              bundle = ${json(bundle)}::text::json, report = ${json(report)}::text::json,
            accepted_warnings = ${json(accepted)}::text::jsonb, updated_at = now()
          where app_id = ${appId} and import_id = ${importId}`
            )
            yield* query(
              (sql) => sql`
          delete from import_images where app_id =
            ${appId} and import_id = ${importId}
              and sha256 <> all(${bundle.assets.map(({ sha256 }) => sha256)}::text[])`
            )
            return yield* written(appId, importId)
          })
        )
      /** Holds no transaction while the change is computed. Repeats it if another one came first. */
      const revise = Effect.fnUntraced(function* <E, R>(
        appId: string,
        importId: string,
        change: (open: OpenImport) => Effect.Effect<Revision, E, R>
      ) {
        while (true) {
          const stored = yield* get(appId, importId)
          if (stored === undefined) return undefined
          if (!isOpen(stored)) return yield* closed(stored)
          const revised = yield* writeRevision(appId, importId, stored, yield* change(stored))
          if (revised !== null) return revised
        }
      })

      const commit = <E, R>(
        appId: string,
        importId: string,
        write: (stored: StoredImport) => Effect.Effect<Written | null, E, R>
      ) =>
        transaction(
          Effect.gen(function* () {
            const stored = yield* lock(appId, importId)
            if (stored === undefined) return undefined
            if (stored.status === "discarded" || stored.status === "expired") return yield* closed(stored)
            const made = yield* write(stored)
            if (made === null) return stored
            const { slug, dropped } = made
            const report = { ...stored.report, dropped: [...stored.report.dropped, ...dropped] }
            yield* query(
              (sql) => sql`
          update imports set status = 'committed',
            character_slug = ${slug}, report = ${json(report)}::text::json, committed_at = now(), updated_at = now()
          where app_id = ${appId} and import_id = ${importId}`
            )
            yield* query((sql) => sql`delete from import_images where app_id = ${appId} and import_id = ${importId}`)
            yield* query(
              (sql) => sql`update characters set import_id = ${importId} where app_id = ${appId} and slug = ${slug}`
            )
            return yield* written(appId, importId)
          })
        )

      const forget = (appId: string, importId: string) =>
        Effect.andThen(
          query((sql) => sql`delete from import_images where app_id = ${appId} and import_id = ${importId}`),
          query(
            (sql) =>
              sql`update imports set status = 'discarded', content_hash = null, bundle = null,
                report = ${json(EMPTY_REPORT)}::text::json, updated_at = now()
                  where app_id = ${appId} and import_id = ${importId}`
          )
        )
      const discard = Effect.fnUntraced(function* (appId: string, importId: string) {
        const stored = yield* lock(appId, importId)
        if (stored === undefined || stored.status === "discarded") return stored
        if (!isOpen(stored)) return yield* closed(stored)
        yield* forget(appId, importId)
        return yield* written(appId, importId)
      }, transaction)

      return Imports.of({
        stage,
        countOpen,
        get,
        list,
        revise,
        commit,
        discard,
        expire: makeExpireImports(database),
        image
      })
    })
  )
}
