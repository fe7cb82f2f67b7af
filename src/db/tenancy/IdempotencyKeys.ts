import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export interface IdempotentRequest {
  /** The app or, on the account plane, the account. Both are stored in app_id, because their ids never coincide. */
  readonly scope: string
  readonly path: string
  readonly key: string
  /** The hash of the body as sent (bodyHash), including unknown fields. */
  readonly bodyHash: Buffer
}

/** `fresh`: written now. `replay`: the first answer for this key. `reused`: the key was used with another body. */
export type IdempotentAnswer<A> = { readonly _tag: "fresh" | "replay"; readonly value: A } | { readonly _tag: "reused" }

/** Stores the answer to a create under its key for 24 hours, in the transaction of the create. */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly once: <A extends object, E, R>(
      request: IdempotentRequest,
      create: Effect.Effect<A, E, R>
    ) => Effect.Effect<IdempotentAnswer<A>, E | DatabaseError, R>
    /** Whether there is an answer for a create with this key. */
    readonly knows: (request: Omit<IdempotentRequest, "bodyHash">) => Effect.Effect<boolean, DatabaseError>
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      const once = <A extends object, E, R>(
        { scope, path, key, bodyHash }: IdempotentRequest,
        create: Effect.Effect<A, E, R>
      ) =>
        transaction(
          Effect.gen(function* (): Effect.gen.Return<IdempotentAnswer<A>, E | DatabaseError, R> {
            yield* query(
              (sql) => sql`
          delete from idempotency_keys where app_id =
            ${scope} and path = ${path} and key = ${key} and created_at < now() - interval '24 hours'`
            )
            // A second request with the same key waits here until the first one commits or rolls back.
            const [claimed] = yield* query(
              (sql) => sql`
          insert into idempotency_keys (app_id, path, key, body_hash) values (${scope}, ${path}, ${key}, ${bodyHash})
          on conflict do nothing returning 1`
            )
            if (claimed === undefined) {
              const [known] = yield* query<Array<{ body_hash: Uint8Array; response: A }>>(
                (sql) => sql`
            select body_hash, response from idempotency_keys
              where app_id = ${scope} and path = ${path} and key = ${key} and response is not null`
              )
              if (known === undefined || !bodyHash.equals(known.body_hash)) return { _tag: "reused" }
              return { _tag: "replay", value: known.response }
            }
            const value = yield* create
            yield* query(
              (sql) => sql`
          update idempotency_keys set response =
            ${JSON.stringify(value)}::text::json where app_id = ${scope} and path = ${path} and key = ${key}`
            )
            return { _tag: "fresh", value }
          })
        )

      return IdempotencyKeys.of({
        once,
        knows: ({ scope, path, key }) =>
          query(
            (sql) => sql`
        select 1 from idempotency_keys
        where app_id = ${scope} and path = ${path} and key = ${key} and created_at >= now() - interval '24 hours'`
          ).pipe(Effect.map((known) => known.length > 0)),
        expire: query((sql) => sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`).pipe(
          Effect.asVoid
        )
      })
    })
  )
}
