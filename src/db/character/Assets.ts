import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { newId } from "#pipeline/domain/Id.ts"
import { Pictures, type PictureRefused } from "#src/pictures/Pictures.ts"
import type { StorageFailure } from "#src/storage/Storage.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { StoredObjects } from "./StoredObjects.ts"

export const ASSET_KINDS = ["avatar", "portrait", "expression", "background", "reference"] as const
export type AssetKind = (typeof ASSET_KINDS)[number]

/** Maximum number of pictures per character. */
export const MAX_ASSETS = 200

export interface Asset {
  readonly asset_id: string
  readonly character_slug: string
  readonly kind: AssetKind
  readonly label: string
  readonly is_primary: boolean
  readonly object_key: string
  /** Hash of the re-encoded content. */
  readonly sha256: string
  readonly media_type: string
  readonly width: number
  readonly height: number
  readonly size_bytes: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** A stored picture that is not attached yet. It is deleted after an hour unless it becomes an asset. */
export interface PreparedPicture {
  readonly objectKey: string
  readonly sha256: string
  readonly mediaType: string
  readonly width: number
  readonly height: number
  readonly sizeBytes: number
}

export interface NewAsset {
  readonly kind: AssetKind
  readonly label: string
  readonly isPrimary: boolean
}
export interface AssetChange {
  readonly kind?: AssetKind
  readonly label?: string
  readonly is_primary?: boolean
}

export class TooManyAssets extends Schema.TaggedError<TooManyAssets>()("TooManyAssets", {}) {}

/** The pictures of characters. At most one of each kind is primary. */
export class Assets extends Context.Service<
  Assets,
  {
    /** Cleans and stores a picture. Must not be called within a transaction. */
    readonly prepare: (
      appId: string,
      bytes: Uint8Array
    ) => Effect.Effect<PreparedPicture, PictureRefused | StorageFailure>
    /** Makes a prepared picture an asset of an existing character. Joins the caller's transaction. */
    readonly create: (
      appId: string,
      slug: string,
      asset: NewAsset,
      picture: PreparedPicture
    ) => Effect.Effect<Asset, TooManyAssets | DatabaseError>
    readonly get: (appId: string, slug: string, assetId: string) => Effect.Effect<Asset | undefined, DatabaseError>
    /** By id alone, for signed URLs. */
    readonly find: (appId: string, assetId: string) => Effect.Effect<Asset | undefined, DatabaseError>
    /** Newest first, those before `before`. */
    readonly list: (
      appId: string,
      slug: string,
      filter: { readonly kind: string | null; readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Asset>, DatabaseError>
    /** The main picture of the character: an avatar, else a portrait. The primary one, else the first. */
    readonly primaryPicture: (appId: string, slug: string) => Effect.Effect<Asset | undefined, DatabaseError>
    readonly hasPrimary: (appId: string, slug: string) => Effect.Effect<boolean, DatabaseError>
    readonly change: (
      appId: string,
      slug: string,
      assetId: string,
      change: AssetChange
    ) => Effect.Effect<Asset | undefined, DatabaseError>
    /** Removes the asset and its content. Visual identities no longer refer to it. */
    readonly remove: (appId: string, slug: string, assetId: string) => Effect.Effect<Asset | undefined, DatabaseError>
  }
>()("src/db/character/Assets") {
  static readonly layer = Layer.effect(
    Assets,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const objects = yield* StoredObjects
      const pictures = yield* Pictures

      const prepare = Effect.fnUntraced(function* (appId: string, bytes: Uint8Array) {
        const picture = yield* pictures.clean(bytes)
        const objectKey = yield* objects.put(appId, picture.bytes)
        return {
          objectKey,
          sha256: createHash("sha256").update(picture.bytes).digest("hex"),
          mediaType: picture.mediaType,
          width: picture.width,
          height: picture.height,
          sizeBytes: picture.bytes.length
        }
      })

      const columns = [
        "asset_id",
        "character_slug",
        "kind",
        "label",
        "is_primary",
        "object_key",
        "sha256",
        "media_type",
        "width",
        "height",
        "size_bytes",
        "created_at",
        "updated_at"
      ]
      const find = (appId: string, assetId: string) =>
        query<Array<Asset>>(
          (sql) => sql`
      select ${sql(columns)} from assets where app_id = ${appId} and asset_id = ${assetId}`
        ).pipe(Effect.map(([row]) => row))
      const get = (appId: string, slug: string, assetId: string) =>
        Effect.map(find(appId, assetId), (asset) => (asset?.character_slug === slug ? asset : undefined))

      /** Changes of the primary picture lock the character's row, so that two assets cannot both become primary. */
      const lockCharacter = (appId: string, slug: string) =>
        query((sql) => sql`select 1 from characters where app_id = ${appId} and slug = ${slug} for no key update`)
      const unsetPrimary = (appId: string, slug: string, kind: string, but: string) =>
        query(
          (sql) => sql`
      update assets set is_primary = false, updated_at = now()
        where app_id = ${appId} and character_slug = ${slug} and kind = ${kind} and is_primary and asset_id <> ${but}`
        )

      const create = Effect.fnUntraced(function* (
        appId: string,
        slug: string,
        { kind, label, isPrimary }: NewAsset,
        picture: PreparedPicture
      ) {
        yield* lockCharacter(appId, slug)
        const [count] = yield* query<Array<{ assets: number }>>(
          (sql) => sql`select count(*)::int as assets from assets where app_id = ${appId} and character_slug = ${slug}`
        )
        if ((count?.assets ?? 0) >= MAX_ASSETS) return yield* new TooManyAssets()
        const id = newId("ast")
        if (isPrimary) yield* unsetPrimary(appId, slug, kind, id)
        yield* objects.keep(appId, picture.objectKey)
        const [asset] = yield* query<Array<Asset>>(
          (sql) => sql`
        insert into assets (app_id, asset_id, character_slug, kind, label, is_primary, object_key, sha256, media_type,
          width, height, size_bytes)
        values (${appId}, ${id}, ${slug},
          ${kind}, ${label}, ${isPrimary},
            ${picture.objectKey}, ${picture.sha256},
              ${picture.mediaType}, ${picture.width}, ${picture.height}, ${picture.sizeBytes})
        returning ${sql(columns)}`
        )
        return asset ?? (yield* Effect.die(new Error("an asset just written is gone")))
      }, transaction)

      const change = Effect.fnUntraced(function* (appId: string, slug: string, assetId: string, wanted: AssetChange) {
        yield* lockCharacter(appId, slug)
        const asset = yield* get(appId, slug, assetId)
        if (asset === undefined) return undefined
        const { kind, label, is_primary } = { ...asset, ...wanted }
        if (is_primary) yield* unsetPrimary(appId, slug, kind, assetId)
        yield* query(
          (sql) => sql`
        update assets set kind = ${kind},
          label = ${label}, is_primary =
            ${is_primary}, updated_at = now() where app_id = ${appId} and asset_id = ${assetId}`
        )
        return yield* get(appId, slug, assetId)
      }, transaction)

      const remove = Effect.fnUntraced(function* (appId: string, slug: string, assetId: string) {
        const asset = yield* get(appId, slug, assetId)
        if (asset === undefined) return undefined
        const gone = yield* query(
          (sql) => sql`delete from assets where app_id = ${appId} and asset_id = ${assetId} returning 1`
        )
        if (gone.length === 0) return undefined
        yield* objects.discard(appId, [asset.object_key])
        yield* query(
          (sql) => sql`
        update visual_identities set identity = jsonb_set(identity, '{reference_asset_ids}',
          (identity -> 'reference_asset_ids') - ${assetId}::text)
        where app_id = ${appId} and character_slug = ${slug} and identity -> 'reference_asset_ids' ? ${assetId}`
        )
        return asset
      }, transaction)

      return Assets.of({
        primaryPicture: (appId, slug) =>
          query<Array<Asset>>(
            (sql) => sql`
        select ${sql(columns)} from assets
          where app_id = ${appId} and character_slug = ${slug} and kind in ('avatar', 'portrait')
        order by kind = 'avatar' desc, is_primary desc, asset_id limit 1`
          ).pipe(Effect.map(([row]) => row)),
        hasPrimary: (appId, slug) =>
          query(
            (sql) =>
              sql`select 1 from assets where app_id = ${appId} and character_slug = ${slug} and is_primary limit 1`
          ).pipe(Effect.map((rows) => rows.length > 0)),
        prepare,
        create,
        get,
        find,
        change,
        remove,
        list: (appId, slug, { kind, before, limit }) =>
          query<Array<Asset>>(
            (sql) => sql`
        select ${sql(columns)} from assets
        where app_id = ${appId} and character_slug =
          ${slug} and (${kind}::text is null or kind = ${kind}) and (${before}::text is null or asset_id < ${before})
        order by asset_id desc limit ${limit}::int`
          )
      })
    })
  )
}
