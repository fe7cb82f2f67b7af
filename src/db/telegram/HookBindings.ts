import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hash, timingSafeEqual } from "node:crypto"
import type { DatabaseError } from "../Database.ts"
import { type Binding, Updates } from "./Updates.ts"

const CAPACITY = 10_000
/** How old what is remembered of a bot may be. */
const KEPT_MS = 5000
/** How often a bot that is not remembered has the row read, and a wrong secret has it read again: a new one may have come in this moment. */
const ASKED_AGAIN = Duration.seconds(1)

const digest = (secret: string) => hash("sha256", secret, "buffer")
const isSame = (expected: Uint8Array | null, secret: Buffer) => expected !== null && timingSafeEqual(expected, secret)
const fits = (binding: Binding, secret: Buffer): boolean =>
  // Both are compared, so that the time says nothing.
  [isSame(binding.secretHash, secret), isSame(binding.previousSecretHash, secret)].includes(true)

/** `foreign`: it was not Telegram that called. */
export type Caller = { readonly _tag: "telegram"; readonly binding: Binding } | { readonly _tag: "foreign" } | { readonly _tag: "nobody" }

/** Who calls a bot's hook, by the secret that it shows: remembered for a few seconds, so that a busy bot costs no look each. */
export class HookBindings extends Context.Service<HookBindings, {
  readonly check: (channelId: string, secret: string) => Effect.Effect<Caller, DatabaseError>
}>()("src/db/telegram/HookBindings") {
  static readonly layer = Layer.effect(HookBindings, Effect.gen(function*() {
    const updates = yield* Updates
    const clock = yield* Clock.Clock
    // By hand and not by a Cache, which takes many steps of the runtime for what each update asks. The first is the oldest.
    const remembered = new Map<string, { readonly binding: Binding; readonly until: number }>()
    const remember = (binding: Binding) => {
      remembered.delete(binding.channelId)
      const [oldest] = remembered.size < CAPACITY ? [] : remembered.keys()
      if (oldest !== undefined) remembered.delete(oldest)
      remembered.set(binding.channelId, { binding, until: clock.currentTimeMillisUnsafe() + KEPT_MS })
    }
    const make = Cache.make({ capacity: CAPACITY, timeToLive: ASKED_AGAIN, lookup: updates.binding })
    const [found, looked] = [yield* make, yield* make]
    const look = Effect.fnUntraced(function*(channelId: string, shown: Buffer, isKnown: boolean) {
      const first = isKnown ? undefined : yield* Cache.get(found, channelId)
      const now = first !== undefined && fits(first, shown) ? first : yield* Cache.get(looked, channelId)
      if (now === undefined) return { _tag: "nobody" } satisfies Caller
      if (now.status === "detached") return { _tag: "telegram", binding: now } satisfies Caller
      if (!fits(now, shown)) return { _tag: "foreign" } satisfies Caller
      remember(now)
      return { _tag: "telegram", binding: now } satisfies Caller
    })

    return HookBindings.of({
      check: (channelId, secret) => Effect.suspend((): Effect.Effect<Caller, DatabaseError> => {
        const shown = digest(secret)
        const entry = remembered.get(channelId)
        const known = entry !== undefined && entry.until > clock.currentTimeMillisUnsafe() ? entry.binding : undefined
        return known !== undefined && fits(known, shown) ? Effect.succeed({ _tag: "telegram", binding: known }) : look(channelId, shown, known !== undefined)
      })
    })
  }))
}
