import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { timingSafeEqual } from "node:crypto"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import type { KeyKind, StoredKey } from "#src/db/tenancy/StoredKey.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { cellOfKey, readApiKey } from "./apiKey.ts"
import { bearerOf } from "./bearer.ts"
import { Cell } from "./cell.ts"

/** The caller: the app that a runtime key belongs to. */
export interface Principal {
  readonly appId: string
  readonly kind: KeyKind
  readonly prefix: string
}

export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.Literals(["missing", "invalid_key", "expired_key", "account_token", "idp_key"])
}) {}

/** The operator has suspended the app of the key, possibly with a reason. */
export class AppSuspended extends Schema.TaggedError<AppSuspended>()("AppSuspended", {
  reason: Schema.NullOr(Schema.String)
}) {}

/** The app of the key moves, or has moved, to this cell. */
export class AppMoves extends Schema.TaggedError<AppMoves>()("AppMoves", { cell: Schema.String }) {}

/** The key is of this cell, which is another one. */
export class OtherCell extends Schema.TaggedError<OtherCell>()("OtherCell", { cell: Schema.String }) {}

export type Refusal = AppMoves | AppSuspended | OtherCell | Unauthenticated

/** How long a validated key is cached. */
const TRUSTED_FOR_MS = 1000
const MAX_REMEMBERED = 10_000

/** Authenticates the bearer of a runtime route (contract 5). */
export class Authentication extends Context.Service<
  Authentication,
  {
    readonly authenticate: (authorization: string | undefined) => Effect.Effect<Principal, Refusal | DatabaseError>
    /** The cached result, for a key that was validated within the last second. Undefined if a query is needed. */
    readonly remembered: (authorization: string | undefined) => Principal | undefined
    /** The caller in whose name a signed token is: the app of the key that created it, if that key is still valid. */
    readonly inNameOf: (prefix: string) => Effect.Effect<Principal, Refusal | DatabaseError>
  }
>()("src/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const cell = yield* Cell
      const clock = yield* Clock.Clock
      const known = new Map<string, StoredKey & { readonly until: number }>()
      yield* Effect.acquireRelease(
        Effect.sync(() => keys.onEnd((prefix) => known.delete(prefix))),
        (stop) => Effect.sync(stop)
      )

      const matches = (stored: StoredKey, secretHash: Buffer) =>
        !stored.revoked && timingSafeEqual(stored.secret_hash, secretHash)
      const noteUse = (prefix: string) => Effect.forkDetach(Effect.ignore(keys.used(prefix)))

      const trusted = (prefix: string) => {
        const stored = known.get(prefix)
        return stored === undefined || stored.until < clock.currentTimeMillisUnsafe() ? undefined : stored
      }
      const principalOf = (prefix: string, { app_id: appId, kind }: StoredKey): Principal => ({ appId, kind, prefix })

      const remembered = (authorization: string | undefined) => {
        const presented = readApiKey(bearerOf(authorization) ?? "")
        const stored = presented === null ? undefined : trusted(presented.prefix)
        return presented === null || stored === undefined || !matches(stored, presented.secretHash)
          ? undefined
          : principalOf(presented.prefix, stored)
      }
      const unknown = Effect.fnUntraced(function* (prefix: string) {
        const movedTo = yield* keys.movedTo(prefix)
        if (movedTo !== undefined) return yield* new AppMoves({ cell: movedTo })
        const other = cellOfKey(prefix)
        if (other !== "" && other !== cell) return yield* new OtherCell({ cell: other })
        return yield* new Unauthenticated({ reason: "invalid_key" })
      })
      /** `fits`: whether the stored key is the one that was presented. */
      const validate = Effect.fnUntraced(function* (prefix: string, fits: (stored: StoredKey) => boolean) {
        const stored = yield* keys.find(prefix)
        if (stored === undefined) return yield* unknown(prefix)
        if (!fits(stored)) return yield* new Unauthenticated({ reason: "invalid_key" })
        if (stored.expired) return yield* new Unauthenticated({ reason: "expired_key" })
        if (stored.moving_to !== null) return yield* new AppMoves({ cell: stored.moving_to })
        if (stored.suspended) return yield* new AppSuspended({ reason: stored.suspended_reason })
        if (stored.use_unwritten) yield* noteUse(prefix)
        if (known.size >= MAX_REMEMBERED) known.clear()
        known.set(prefix, { ...stored, until: clock.currentTimeMillisUnsafe() + TRUSTED_FOR_MS })
        return principalOf(prefix, stored)
      })
      const authenticate = Effect.fnUntraced(function* (authorization: string | undefined) {
        const bearer = bearerOf(authorization)
        if (bearer === undefined) return yield* new Unauthenticated({ reason: "missing" })
        if (bearer.startsWith("lat_")) return yield* new Unauthenticated({ reason: "account_token" })
        if (bearer.startsWith("ak_")) return yield* new Unauthenticated({ reason: "idp_key" })
        const presented = readApiKey(bearer)
        if (presented === null) return yield* new Unauthenticated({ reason: "invalid_key" })
        return yield* validate(presented.prefix, (stored) => matches(stored, presented.secretHash))
      })
      const inNameOf = (prefix: string) =>
        Effect.suspend(() => {
          const stored = trusted(prefix)
          return stored === undefined
            ? validate(prefix, ({ revoked }) => !revoked)
            : Effect.succeed(principalOf(prefix, stored))
        })
      return Authentication.of({ authenticate, remembered, inNameOf })
    })
  )
}
