import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { BotApi, type Fetched } from "#channels/telegram/BotApi.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import { lookAt } from "#channels/telegram/Update.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { PolledBots } from "#src/db/telegram/PolledBots.ts"
import { Updates } from "#src/db/telegram/Updates.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { ALLOWED_UPDATES } from "./WebhookRegistrar.ts"

/** How long Telegram keeps a request open if there are no updates. */
const HELD_SECONDS = 25
const CALL_SECONDS = HELD_SECONDS + 10
/** Another client polls the bot. Retrying at once would only interrupt each other. */
const AFTER_CONFLICT = "30 seconds"
const AFTER_FAILURE = "3 seconds"
/** An answer with nothing new that arrives sooner is not Telegram's. Without a pause, the next would be, too. */
const SOON_MS = 1_000
/** After a failure, one update is asked for: all that wait may be more than an answer can hold. */
const MOST_UPDATES = 100

/**
 * Polls updates of bots where no webhook can reach us: on a developer's machine, or behind a firewall. They are handled
 * like webhook updates, and are confirmed to Telegram only once they are stored.
 */
export const layer = (managerToken: Redacted.Redacted<string> | null) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const api = yield* BotApi
      const rows = yield* BotRows
      const bots = yield* TelegramBots
      const polled = yield* PolledBots
      const updates = yield* Updates
      const managerUpdates = yield* ManagerUpdates
      const membership = yield* Membership
      const fibers = yield* FiberMap.make<string>()

      interface Polling {
        /** For the log. */
        readonly named: { readonly bot: string; readonly app_id?: string }
        readonly token: Redacted.Redacted<string>
        readonly allowed: ReadonlyArray<(typeof ALLOWED_UPDATES)[number] | "managed_bot">
        readonly holds: Effect.Effect<boolean, DatabaseError>
        /** False: it was not stored, and the bot is not polled here any more. */
        readonly store: (raw: Fetched) => Effect.Effect<boolean, DatabaseError>
        readonly onConflict: Effect.Effect<void, DatabaseError>
        readonly onDead: Effect.Effect<void>
      }
      const poll = Effect.fnUntraced(
        function* ({ named, token, allowed, holds, store, onConflict, onDead }: Polling) {
          yield* Effect.ignore(api.call(token, "deleteWebhook", { drop_pending_updates: false }))
          let offset = 0
          let limit = MOST_UPDATES
          let isDisputed = false
          while (yield* holds) {
            const askedAt = yield* Clock.currentTimeMillis
            const asked = yield* Effect.result(
              api.call(
                token,
                "getUpdates",
                { offset, limit, timeout: HELD_SECONDS, allowed_updates: [...allowed] },
                CALL_SECONDS
              )
            )
            limit = Result.isSuccess(asked) ? MOST_UPDATES : 1
            if (Result.isSuccess(asked)) {
              isDisputed = false
              const before = offset
              for (const raw of asked.success) {
                if (!(yield* store(raw))) return
                offset = raw.update_id + 1
              }
              const tookMs = (yield* Clock.currentTimeMillis) - askedAt
              if (offset === before && tookMs < SOON_MS) yield* Effect.sleep(AFTER_FAILURE)
              continue
            }
            const { kind, retryAfterSeconds } = asked.failure
            if (kind === "auth") return yield* onDead
            if (kind === "conflict") {
              if (!isDisputed) yield* Effect.logWarning("another program polls a bot: end one of the two", named)
              yield* onConflict
            }
            isDisputed = kind === "conflict"
            yield* Effect.sleep(
              kind === "conflict"
                ? AFTER_CONFLICT
                : retryAfterSeconds === null
                  ? AFTER_FAILURE
                  : Duration.seconds(retryAfterSeconds)
            )
          }
        },
        Effect.catchTag("DatabaseError", logDatabaseError("bot polling aborted"))
      )

      const pollBot = Effect.fnUntraced(
        function* (bot: StoredBot, worker: string) {
          const { app_id: appId, channel_id: channelId } = bot
          const token = yield* Effect.orDie(rows.token(bot))
          if (token === undefined) return
          yield* poll({
            named: { bot: bot.username === null ? channelId : `@${bot.username}`, app_id: appId },
            token,
            allowed: ALLOWED_UPDATES,
            holds: polled.holds(bot, worker),
            store: Effect.fnUntraced(function* (raw) {
              const look = lookAt(raw)
              if (look === undefined) return true
              const { join_window_ms: joinWindowMs } = (yield* rows.get(appId, channelId)) ?? bot
              return yield* updates.store({ ...look, appId, channelId, joinWindowMs, raw: JSON.stringify(raw) })
            }),
            onConflict: Effect.gen(function* () {
              yield* rows.recordConflict(appId, channelId, new Date(yield* Clock.currentTimeMillis))
              yield* rows.changeStatus(appId, channelId, {
                status: "degraded",
                reason: "conflict",
                from: ["active", "degraded"],
                event: { type: "bot.degraded", payload: { bot_id: channelId, reason: "conflict" } }
              })
            }),
            onDead: Effect.ignore(bots.revoke(appId, channelId, bot.token_version))
          })
        },
        (effect, bot) => Effect.annotateLogs(effect, { bot_id: bot.channel_id })
      )

      const pollManager = (token: Redacted.Redacted<string>, worker: string) =>
        poll({
          named: { bot: "the manager bot" },
          token,
          allowed: ["message", "managed_bot"],
          holds: polled.holdsManager(worker),
          store: (raw) => Effect.as(managerUpdates.store(raw.update_id, JSON.stringify(raw)), true),
          onConflict: Effect.void,
          onDead: Effect.logError("Telegram rejects the manager bot's token: check TELEGRAM_MANAGER_TOKEN").pipe(
            Effect.andThen(Effect.sleep(AFTER_CONFLICT))
          )
        })

      const look = Effect.gen(function* () {
        const worker = yield* membership.current
        if (Option.isNone(worker)) return
        for (const bot of yield* polled.claim(worker.value)) {
          // A new token or a new worker id restarts the polling.
          yield* FiberMap.run(
            fibers,
            `${bot.channel_id} ${bot.token_version} ${worker.value}`,
            pollBot(bot, worker.value),
            { onlyIfMissing: true }
          )
        }
        if (managerToken !== null && (yield* polled.holdsManager(worker.value))) {
          yield* FiberMap.run(fibers, `manager ${worker.value}`, pollManager(managerToken, worker.value), {
            onlyIfMissing: true
          })
        }
      }).pipe(Effect.catchTag("DatabaseError", logDatabaseError("bots to poll could not be claimed")))

      yield* Effect.addFinalizer(() =>
        Effect.flatMap(membership.current, (worker) =>
          Option.isNone(worker) ? Effect.void : Effect.ignore(polled.release(worker.value))
        )
      )
      yield* repeatForever("1 second", look).pipe(Effect.annotateLogs({ service: "Pollers" }), Effect.forkScoped)
    })
  )
