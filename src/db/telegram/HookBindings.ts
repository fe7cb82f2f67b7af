import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash, timingSafeEqual } from "node:crypto"
import type { DatabaseError } from "../Database.ts"
import { type Binding, Updates } from "./Updates.ts"

const CAPACITY = 10_000
/** How old what is remembered of a bot may be. */
const KEPT = Duration.seconds(5)
/** How often a wrong secret has the row read again: a new one may have come in this moment. */
const ASKED_AGAIN = Duration.seconds(1)

const digest = (secret: string) => createHash("sha256").update(secret).digest()
const fits = (binding: Binding, secret: Buffer): boolean =>
  // Both are compared, so that the time says nothing.
  [binding.secretHash, binding.previousSecretHash].map((hash) => hash !== null && timingSafeEqual(hash, secret)).includes(true)

/** `foreign`: it was not Telegram that called. */
export type Caller = { readonly _tag: "telegram"; readonly binding: Binding } | { readonly _tag: "foreign" } | { readonly _tag: "nobody" }

/** Who calls a bot's hook, by the secret that it shows: remembered for a few seconds, so that a busy bot costs no look each. */
export class HookBindings extends Context.Service<HookBindings, {
  readonly check: (channelId: string, secret: string) => Effect.Effect<Caller, DatabaseError>
}>()("src/db/telegram/HookBindings") {
  static readonly layer = Layer.effect(HookBindings, Effect.gen(function*() {
    const updates = yield* Updates
    const remembered = yield* Cache.make({ capacity: CAPACITY, timeToLive: KEPT, lookup: updates.binding })
    const looked = yield* Cache.make({ capacity: CAPACITY, timeToLive: ASKED_AGAIN, lookup: updates.binding })
    return HookBindings.of({
      check: Effect.fnUntraced(function*(channelId, secret) {
        const shown = digest(secret)
        const known = yield* Cache.get(remembered, channelId)
        if (known !== undefined && fits(known, shown)) return { _tag: "telegram", binding: known } satisfies Caller
        const now = yield* Cache.get(looked, channelId)
        if (now === undefined) return { _tag: "nobody" } satisfies Caller
        if (now.status === "detached") return { _tag: "telegram", binding: now } satisfies Caller
        if (!fits(now, shown)) return { _tag: "foreign" } satisfies Caller
        yield* Cache.set(remembered, channelId, now)
        return { _tag: "telegram", binding: now } satisfies Caller
      })
    })
  }))
}
