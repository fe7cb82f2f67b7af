import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * So many bots, one after the other, that did not get through to Telegram: then it is Telegram that is away, or our way
 * there.
 */
const BOTS = 3
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/**
 * Telegram as a whole, as this process sees it. While it is away one message at a time finds out whether it is back,
 * and all others wait without a try, whatever bot they are of: their own waits grow with their own failures alone, and
 * would go on long after it is back.
 */
export class Outage extends Context.Service<
  Outage,
  {
    /** How long no message is to be tried; zero: go. */
    readonly wait: Effect.Effect<Duration.Duration>
    /** Whether a call of this bot's got through. */
    readonly note: (channelId: string, reached: boolean) => Effect.Effect<void>
  }
>()("channels/telegram/Outage") {
  static readonly layer = Layer.sync(Outage, () => {
    const unreached = new Set<string>()
    let pauseMs = FIRST_PAUSE_MS
    let closedUntil = 0
    let probing = false

    const isAway = () => unreached.size >= BOTS
    const close = (now: number) => {
      probing = false
      closedUntil = now + pauseMs
    }
    const fail = (channelId: string, now: number) => {
      const wasAway = isAway()
      unreached.add(channelId)
      // What was under way when it went away fails all at once, and says nothing new.
      if (wasAway && !probing) return Effect.void
      if (wasAway) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (isAway()) close(now)
      return isAway() && !wasAway ? Effect.logWarning("Telegram API unreachable: messages wait") : Effect.void
    }
    const succeed = () => {
      const wasAway = isAway()
      unreached.clear()
      pauseMs = FIRST_PAUSE_MS
      return wasAway ? Effect.logInfo("Telegram API reachable again") : Effect.void
    }

    return Outage.of({
      wait: Effect.map(Clock.currentTimeMillis, (now) => {
        if (!isAway()) return Duration.zero
        if (now < closedUntil) return Duration.millis(closedUntil - now)
        close(now)
        probing = true
        return Duration.zero
      }),
      note: (channelId, reached) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => (reached ? succeed() : fail(channelId, now)))
    })
  })
}
