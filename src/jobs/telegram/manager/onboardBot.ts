import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { BotRef, CreatedBot } from "#src/db/telegram/managed/CreatedBot.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { ProfilePublisher } from "../ProfilePublisher.ts"
import type { ManagedTokens } from "./managedTokens.ts"

/** The token of a new bot may not be available immediately. */
const RETRY_READ = Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 15 }))

/** Registers the bots that people create, and later changes of them. */
export const makeOnboardBot = Effect.fnUntraced(function* ({
  tokenOf,
  identify,
  again,
  setUp,
  reconcile
}: ManagedTokens) {
  const [requests, publisher] = [yield* Provisionings, yield* ProfilePublisher]

  const changed = Effect.fnUntraced(function* (at: BotRef, made: CreatedBot) {
    const bot = yield* again(at)
    if (bot.mode !== "managed") return
    if (bot.owner_id !== made.ownerId) yield* requests.setOwner(at, made.ownerId)
    yield* reconcile(yield* again(at))
  })
  /** False: no request waits for it, or no longer. */
  return Effect.fnUntraced(
    function* (bot: CreatedBot) {
      const bound = yield* requests.bound(bot.userId)
      if (bound !== undefined) return yield* Effect.as(changed(bound, bot), true)
      const at = yield* requests.match(bot)
      if (at === undefined)
        return yield* Effect.as(Effect.logWarning("managed bot matches no request", { username: bot.username }), false)
      const token = yield* tokenOf(bot.userId).pipe(
        Effect.retry({ schedule: RETRY_READ, while: (error) => error._tag === "TelegramUnavailable" })
      )
      yield* requests.adopt(at, yield* identify(token), bot.ownerId, token)
      yield* setUp(at)
      yield* publisher.introduce(yield* again(at))
      return true
    },
    Effect.catchTag("BotReleased", () => Effect.succeed(false))
  )
})
export type OnboardBot = Effect.Success<ReturnType<typeof makeOnboardBot>>
