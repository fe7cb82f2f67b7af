import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { BotApi, type WebhookInfo } from "#channels/telegram/BotApi.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { BotHealth, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ALLOWED_UPDATES, WebhookRegistrar } from "./WebhookRegistrar.ts"
import { ProfilePublisher } from "./ProfilePublisher.ts"
import { Manager } from "./Manager.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Seconds between two probes of a bot, plus or minus a tenth. */
const EVERY_SECONDS = { well: 600, ill: 300, unarmed: 30 }
/**
 * A webhook is failing if it has an error younger than this, and this many updates are waiting or more than at the last
 * probe.
 */
const YOUNG_MS = 10 * 60_000
const MANY_WAITING = 20
/** Telegram's error if the webhook rejects its secret. */
const OF_SECRET = /\b401\b/
/** Maximum number of concurrent probes per process. */
const AT_ONCE = 4
/** A process that sets a webhook is done after this time, or has failed. */
const REGISTERED_WITHIN_MS = 2 * 60_000
/** How old the stored username of a bot may be. In groups it is addressed by it. */
const KNOWN_MS = 24 * 3_600_000
/** After this many good probes in a row, a bot is healthy again. */
const GOOD_PROBES = 2

/**
 * What is wrong with the webhook. `hijacked`: it belongs to another system. `changed`: it is ours, but with other kinds
 * of updates or an unknown secret.
 */
const findProblem = (
  info: WebhookInfo,
  bot: StoredBot,
  address: string | null,
  now: number
): "webhook_hijacked" | "webhook_changed" | "webhook_failing" | null => {
  // It is where we set it, but belongs at another URL now.
  if (bot.webhook_url !== address && (info.url ?? "") === (bot.webhook_url ?? "")) return "webhook_changed"
  if ((info.url ?? "") !== (address ?? "")) return "webhook_hijacked"
  if (address === null) return null
  // The process that was setting it has died or got no answer.
  if (bot.secret_pending_since !== null && now - bot.secret_pending_since.getTime() > REGISTERED_WITHIN_MS)
    return "webhook_changed"
  const told = [...(info.allowed_updates ?? [])].sort().join()
  if (told !== [...ALLOWED_UPDATES].sort().join()) return "webhook_changed"
  const failing = info.last_error_date !== undefined && now - info.last_error_date * 1000 < YOUNG_MS
  // If two processes set the webhook at the same time, the row may have the secret of the wrong one.
  if (failing && OF_SECRET.test(info.last_error_message ?? "")) return "webhook_changed"
  const growing = info.pending_update_count > (bot.health.pending_update_count ?? Infinity)
  return failing && (info.pending_update_count > MANY_WAITING || growing) ? "webhook_failing" : null
}

/** A conflict is met every half minute for as long as it lasts. Of two pollers, Telegram says nothing to a probe. */
const CONFLICT_MS = 2 * 60_000
const findConflict = ({ health: { conflict_at: at } }: StoredBot, now: number): "conflict" | null =>
  at !== undefined && now - Date.parse(at) < CONFLICT_MS ? "conflict" : null

/**
 * Asks Telegram about the state of bots: every ten minutes each, sooner if one is unhealthy. If another system has set
 * a webhook, ours is set once more. If that happens again, the bot is degraded and its owner has to act. An invalid
 * token revokes the bot. An incomplete profile is set again, and menus of commands whose texts have changed.
 */
export class Probe extends Context.Service<
  Probe,
  {
    readonly probe: (bot: StoredBot) => Effect.Effect<void, DatabaseError>
    /** Probes the bots that are due. */
    readonly probeDue: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/telegram/Probe") {
  static readonly layer = Layer.effect(
    Probe,
    Effect.gen(function* () {
      const api = yield* BotApi
      const rows = yield* BotRows
      const bots = yield* TelegramBots
      const registrar = yield* WebhookRegistrar
      const manager = yield* Manager
      const publisher = yield* ProfilePublisher

      const scheduleNext = Effect.fnUntraced(function* (bot: StoredBot, health: BotHealth, seconds: number) {
        // Without an answer of Telegram, the health is that of an earlier probe.
        const waiting = health === bot.health ? null : (health.pending_update_count ?? null)
        const next = seconds * (0.9 + 0.2 * (yield* Random.next))
        yield* rows.recordProbe(bot.app_id, bot.channel_id, health, waiting, next)
      })
      const repair = (bot: StoredBot) => Effect.ignore(registrar.register(bot, { hooksAt: null, dropPending: false }))

      const degrade = (bot: StoredBot, reason: string) =>
        rows.changeStatus(bot.app_id, bot.channel_id, {
          status: "degraded",
          reason,
          from: ["active", "degraded"],
          event: { type: "bot.degraded", payload: { bot_id: bot.channel_id, reason } }
        })
      const recover = Effect.fnUntraced(function* (bot: StoredBot, health: BotHealth) {
        if (bot.status !== "degraded" || (health.good_probes ?? 0) < GOOD_PROBES) return
        if (bot.profile_due_at !== null) return yield* degrade(bot, "profile_incomplete")
        yield* rows.changeStatus(bot.app_id, bot.channel_id, {
          status: "active",
          reason: null,
          from: ["degraded"],
          event: { type: "bot.recovered", payload: { bot_id: bot.channel_id } }
        })
      })

      const identify = Effect.fnUntraced(function* (bot: StoredBot, token: Redacted.Redacted<string>, now: number) {
        const { identified_at: last } = bot.health
        if (last !== undefined && now - Date.parse(last) < KNOWN_MS) return last
        const identity = yield* Effect.option(registrar.identify(token))
        if (Option.isNone(identity)) return last
        yield* rows.recordIdentity(bot.app_id, bot.channel_id, identity.value)
        return new Date(now).toISOString()
      })

      const probe = Effect.fnUntraced(function* (bot: StoredBot) {
        const token = yield* Effect.orDie(rows.token(bot))
        if (token === undefined) return
        if (bot.mode === "managed" && (bot.status === "revoked" || bot.rotating_since !== null)) {
          const isNew = yield* Effect.option(manager.reconcile(bot))
          // The token is current, so probe the bot like any other.
          if (!Option.contains(isNew, false)) return yield* scheduleNext(bot, bot.health, EVERY_SECONDS.ill)
        }
        if (bot.status === "pending") {
          yield* repair(bot)
          return yield* scheduleNext(bot, bot.health, EVERY_SECONDS.unarmed)
        }
        const asked = yield* Effect.result(api.call(token, "getWebhookInfo", undefined))
        if (Result.isFailure(asked)) {
          if (asked.failure.kind === "auth")
            yield* Effect.ignore(bots.revoke(bot.app_id, bot.channel_id, bot.token_version))
          return yield* scheduleNext(bot, bot.health, asked.failure.retryAfterSeconds ?? EVERY_SECONDS.ill)
        }
        const info = asked.success
        const now = yield* Clock.currentTimeMillis
        const ill = findProblem(info, bot, registrar.webhookUrlOf(bot), now) ?? findConflict(bot, now)
        const identified_at = yield* identify(bot, token, now)
        const health: BotHealth = {
          ...(identified_at !== undefined && { identified_at }),
          ...(bot.health.conflict_at !== undefined && { conflict_at: bot.health.conflict_at }),
          probed_at: new Date(now).toISOString(),
          pending_update_count: info.pending_update_count,
          ...(info.last_error_message !== undefined && { last_error_message: info.last_error_message }),
          ...(info.last_error_date !== undefined && {
            last_error_at: new Date(info.last_error_date * 1000).toISOString()
          }),
          good_probes: ill === null ? (bot.health.good_probes ?? 0) + 1 : 0
        }
        yield* scheduleNext(
          bot,
          health,
          ill === null && bot.profile_due_at === null && info.pending_update_count === 0
            ? EVERY_SECONDS.well
            : EVERY_SECONDS.ill
        )
        if (bot.status === "revoked") return yield* repair(bot)
        if (ill === null) {
          if (bot.profile_due_at !== null && bot.profile_due_at.getTime() <= now) return yield* publisher.introduce(bot)
          if (bot.profile_due_at === null) yield* publisher.refreshMenus(bot, token)
          return yield* recover(bot, health)
        }
        const again = bot.status === "degraded" && bot.reason === ill
        if (ill === "webhook_changed" || (ill === "webhook_hijacked" && !again)) yield* repair(bot)
        if (ill !== "webhook_changed") yield* degrade(bot, ill)
      })

      /** A failure with one bot does not affect the others. */
      const alone = (bot: StoredBot) =>
        probe(bot).pipe(
          Effect.catchDefect((defect) => Effect.logError("bot probe failed", defect)),
          Effect.annotateLogs({ bot_id: bot.channel_id })
        )

      return Probe.of({
        probe,
        probeDue: Effect.repeat(
          Effect.flatMap(rows.dueProbes, (due) =>
            Effect.as(Effect.forEach(due, alone, { concurrency: AT_ONCE, discard: true }), due.length)
          ),
          { until: (count) => count === 0 }
        ).pipe(Effect.asVoid)
      })
    })
  )
}

export const probeTask = task(
  "probe",
  Probe.use((probe) => probe.probeDue),
  { cron: "* * * * *" }
)
