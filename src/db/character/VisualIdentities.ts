import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** A character's appearance, in words and reference pictures. */
export interface VisualIdentity {
  readonly appearance: string
  readonly style: string
  /** What pictures must never show. */
  readonly negative: string
  readonly reference_asset_ids: ReadonlyArray<string>
  readonly seed: number | null
  readonly wardrobe: ReadonlyArray<{ readonly label: string; readonly when: string }>
}

/** For a character without a described appearance. */
export const NO_LOOKS: VisualIdentity = {
  appearance: "",
  style: "",
  negative: "",
  reference_asset_ids: [],
  seed: null,
  wardrobe: []
}

export interface StoredVisualIdentity {
  readonly identity: VisualIdentity
  readonly updated_at: Date
}

export class VisualIdentities extends Context.Service<
  VisualIdentities,
  {
    /** Undefined: the character has none yet. */
    readonly get: (appId: string, slug: string) => Effect.Effect<StoredVisualIdentity | undefined, DatabaseError>
    /**
     * Replaces the previous one. The assets that it refers to must exist. Returns the index of the first one that does
     * not, in which case nothing was written, or else -1.
     */
    readonly put: (appId: string, slug: string, identity: VisualIdentity) => Effect.Effect<number, DatabaseError>
  }
>()("src/db/character/VisualIdentities") {
  static readonly layer = Layer.effect(
    VisualIdentities,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      return VisualIdentities.of({
        get: (appId, slug) =>
          query<Array<StoredVisualIdentity>>(
            (sql) => sql`
        select identity, updated_at from visual_identities where app_id = ${appId} and character_slug = ${slug}`
          ).pipe(Effect.map(([row]) => row)),
        put: Effect.fnUntraced(function* (appId, slug, identity) {
          const ids = [...identity.reference_asset_ids]
          const there = yield* query<Array<{ asset_id: string }>>(
            (sql) => sql`
          select asset_id from assets where app_id =
            ${appId} and character_slug = ${slug} and asset_id = any(${ids}::text[]) for key share`
          )
          const known = new Set(there.map((row) => row.asset_id))
          const missing = ids.findIndex((id) => !known.has(id))
          if (missing !== -1) return missing
          yield* query(
            (sql) => sql`
          insert into visual_identities (app_id, character_slug, identity)
            values (${appId}, ${slug}, ${JSON.stringify(identity)}::text::jsonb)
          on conflict (app_id, character_slug) do update set identity = excluded.identity, updated_at = now()`
          )
          return -1
        }, transaction)
      })
    })
  )
}
