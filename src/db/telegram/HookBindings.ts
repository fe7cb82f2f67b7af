import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { hash, timingSafeEqual } from "node:crypto"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { type Binding, Updates } from "./Updates.ts"

const CAPACITY = 10_000
/** Maximum age of a cached bot. */
const KEPT_MS = 5000
/**
 * How often the row of an uncached bot is read. After a wrong secret it is read again at this interval, because the
 * secret may just have changed.
 */
const ASKED_AGAIN_MS = 1000

const digest = (secret: string) => hash("sha256", secret, "buffer")
const isSame = (expected: Uint8Array | null, secret: Buffer) => expected !== null && timingSafeEqual(expected, secret)
const fits = (binding: Binding, secret: Buffer): boolean =>
  // Compares both, so that the timing reveals nothing.
  [isSame(binding.secretHash, secret), isSame(binding.previousSecretHash, secret)].includes(true)

interface Entry {
  readonly binding: Binding | undefined
  readonly until: number
}

/** Copies the id, because a substring would keep the whole URL in memory. */
const apart = (channelId: string) => Buffer.from(channelId).toString()

/**
 * A cache of bots. Not an Effect Cache, which takes many runtime steps per update, and keeps the caller and its whole
 * request alive until the old generation of the heap is collected.
 */
const makeMemory = (clock: Clock.Clock, keptMs: number) => {
  // Oldest first.
  const entries = new Map<string, Entry>()
  return {
    get: (channelId: string): Entry | undefined => {
      const entry = entries.get(channelId)
      return entry !== undefined && entry.until > clock.currentTimeMillisUnsafe() ? entry : undefined
    },
    set: (channelId: string, binding: Binding | undefined) => {
      const key = binding?.channelId ?? apart(channelId)
      entries.delete(key)
      const [oldest] = entries.size < CAPACITY ? [] : entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
      entries.set(key, { binding, until: clock.currentTimeMillisUnsafe() + keptMs })
    }
  }
}

type Read = (channelId: string) => Effect.Effect<Binding | undefined, DatabaseError>

/**
 * Reads a bot once per interval for all concurrent callers. A caller that goes away does not affect the others.
 * Failures are not cached.
 */
const readOnce = (clock: Clock.Clock, keptMs: number, read: Read): Read => {
  const memory = makeMemory(clock, keptMs)
  const underWay = new Map<string, Deferred.Deferred<Binding | undefined, DatabaseError>>()
  const begin = (channelId: string) => {
    const reading = Deferred.makeUnsafe<Binding | undefined, DatabaseError>()
    underWay.set(channelId, reading)
    Effect.runFork(read(channelId)).addObserver((exit) => {
      underWay.delete(channelId)
      if (Exit.isSuccess(exit)) memory.set(channelId, exit.value)
      Deferred.doneUnsafe(reading, exit)
    })
    return reading
  }
  return (channelId) =>
    Effect.suspend(() => {
      const entry = memory.get(channelId)
      return entry !== undefined
        ? Effect.succeed(entry.binding)
        : Deferred.await(underWay.get(channelId) ?? begin(channelId))
    })
}

/** `foreign`: the caller is not Telegram. */
export type Caller =
  | { readonly _tag: "telegram"; readonly binding: Binding }
  | { readonly _tag: "foreign" }
  | { readonly _tag: "nobody" }

/**
 * Authenticates the caller of a bot's webhook by its secret. Cached for a few seconds, so that a busy bot does not need
 * a query per update.
 */
export class HookBindings extends Context.Service<
  HookBindings,
  {
    readonly check: (channelId: string, secret: string) => Effect.Effect<Caller, DatabaseError>
  }
>()("src/db/telegram/HookBindings") {
  static readonly layer = Layer.effect(
    HookBindings,
    Effect.gen(function* () {
      const updates = yield* Updates
      const clock = yield* Clock.Clock
      const remembered = makeMemory(clock, KEPT_MS)
      const [found, looked] = [
        readOnce(clock, ASKED_AGAIN_MS, updates.binding),
        readOnce(clock, ASKED_AGAIN_MS, updates.binding)
      ]
      const look = Effect.fnUntraced(function* (channelId: string, shown: Buffer, isKnown: boolean) {
        const first = isKnown ? undefined : yield* found(channelId)
        const now = first !== undefined && fits(first, shown) ? first : yield* looked(channelId)
        if (now === undefined) return { _tag: "nobody" } satisfies Caller
        if (now.status === "detached") return { _tag: "telegram", binding: now } satisfies Caller
        if (!fits(now, shown)) return { _tag: "foreign" } satisfies Caller
        remembered.set(channelId, now)
        return { _tag: "telegram", binding: now } satisfies Caller
      })

      return HookBindings.of({
        check: (channelId, secret) =>
          Effect.suspend((): Effect.Effect<Caller, DatabaseError> => {
            const shown = digest(secret)
            const known = remembered.get(channelId)?.binding
            return known !== undefined && fits(known, shown)
              ? Effect.succeed({ _tag: "telegram", binding: known })
              : look(channelId, shown, known !== undefined)
          })
      })
    })
  )
}
