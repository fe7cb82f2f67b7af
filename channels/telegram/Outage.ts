import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { telegramDependency } from "#pipeline/telemetry/Dependency.ts"

/** If this many bots in a row could not reach Telegram, then Telegram or our connection is down. */
const BOTS = 3
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/**
 * The availability of Telegram as this process sees it. During an outage, one message at a time probes whether it is
 * over, and all others wait without an attempt, whichever bot they belong to. Without this, their own retry delays
 * would grow with each failure, and continue long after the outage.
 */
export class Outage extends Context.Service<
  Outage,
  {
    /** How long no message should be tried. Zero: go ahead. */
    readonly wait: Effect.Effect<Duration.Duration>
    /** Whether a call of this bot reached Telegram. */
    readonly record: (channelId: string, reached: boolean) => Effect.Effect<void>
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
      // Calls that were in progress when the outage began all fail at once, and add no information.
      if (wasAway && !probing) return Effect.void
      if (wasAway) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (isAway()) close(now)
      return isAway() ? telegramDependency.failed("unreachable") : Effect.void
    }
    const succeed = () => {
      unreached.clear()
      pauseMs = FIRST_PAUSE_MS
      return telegramDependency.worked()
    }

    return Outage.of({
      wait: Effect.map(Clock.currentTimeMillis, (now) => {
        if (!isAway()) return Duration.zero
        if (now < closedUntil) return Duration.millis(closedUntil - now)
        close(now)
        probing = true
        return Duration.zero
      }),
      record: (channelId, reached) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => (reached ? succeed() : fail(channelId, now)))
    })
  })
}
