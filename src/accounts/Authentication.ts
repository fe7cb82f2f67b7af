import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { timingSafeEqual } from "node:crypto"
import { Apps, type StoredKey } from "#src/db/Apps.ts"
import type { DatabaseError } from "#src/db/Database.ts"
import { readApiKey } from "./apiKey.ts"

/** Who asks: the app that a runtime key stands for. */
export interface Principal {
  readonly appId: string
  readonly prefix: string
}

export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.Literals(["missing", "invalid_key", "account_token", "idp_key"])
}) {}

/** How long a key that was looked up is trusted without another look. */
const TRUSTED_FOR = Duration.seconds(1)

/** Resolves the bearer of a runtime route (contract 5). */
export class Authentication extends Context.Service<Authentication, {
  readonly authenticate: (authorization: string | undefined) => Effect.Effect<Principal, Unauthenticated | DatabaseError>
}>()("src/accounts/Authentication") {
  static readonly layer = Layer.effect(Authentication, Effect.gen(function*() {
    const apps = yield* Apps
    const keys = yield* Cache.makeWith<string, StoredKey | undefined, DatabaseError>(apps.findKey, {
      capacity: 10_000,
      timeToLive: (exit) => Exit.isSuccess(exit) && exit.value !== undefined ? TRUSTED_FOR : Duration.zero
    })
    const authenticate = Effect.fnUntraced(function*(authorization: string | undefined) {
      const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
      if (bearer === undefined) return yield* new Unauthenticated({ reason: "missing" })
      if (bearer.startsWith("lat_")) return yield* new Unauthenticated({ reason: "account_token" })
      if (bearer.startsWith("ak_")) return yield* new Unauthenticated({ reason: "idp_key" })
      const presented = readApiKey(bearer)
      if (presented === null) return yield* new Unauthenticated({ reason: "invalid_key" })
      const stored = yield* Cache.get(keys, presented.prefix)
      if (stored === undefined || stored.revoked || !timingSafeEqual(stored.secret_hash, presented.secretHash)) {
        return yield* new Unauthenticated({ reason: "invalid_key" })
      }
      return { appId: stored.app_id, prefix: presented.prefix }
    })
    return Authentication.of({ authenticate })
  }))
}
