import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BATCH_KINDS, type BatchKind } from "#src/db/telegram/batches/batchKinds.ts"
import type { BatchItem } from "#src/db/telegram/batches/takeItem.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { WebhookRegistrar } from "./WebhookRegistrar.ts"
import { ProfilePublisher } from "./ProfilePublisher.ts"
import { Manager } from "./Manager.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Why an item cannot be done. */
class ItemRefused extends Schema.TaggedError<ItemRefused>()("ItemRefused", { reason: Schema.String }) {}

/** Telegram accepts it only after a delay, which may be hours. */
class ItemWaits extends Schema.TaggedError<ItemWaits>()("ItemWaits", { seconds: Schema.Number }) {}

/** Added to the time that Telegram names. */
const MARGIN_SECONDS = 5

/** An item that was claimed this often without a result is given up: it may be what kills its workers. */
const MAX_TAKEN = 10
/** Maximum number of concurrent items of a kind per process. A hanging item must not block the others. */
const AT_ONCE = 4

/**
 * Works through batches. Each kind of item is processed separately, within Telegram's rate limits. Each step may run
 * twice: if a worker dies, the next one takes the item.
 */
export class BatchWorker extends Context.Service<
  BatchWorker,
  {
    /** Works until nothing is due. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/telegram/BatchWorker") {
  static readonly layer = Layer.effect(
    BatchWorker,
    Effect.gen(function* () {
      const batches = yield* BatchRows
      const rows = yield* BotRows
      const requests = yield* Provisionings
      const registrar = yield* WebhookRegistrar
      const manager = yield* Manager
      const publisher = yield* ProfilePublisher

      const attach = Effect.fnUntraced(function* (item: BatchItem) {
        const { appId, channelId, dryRun, hooksAt } = item
        const there = yield* rows.get(appId, channelId)
        if (there !== undefined) return yield* registrar.register(there, { hooksAt, dropPending: false })
        const token = yield* Effect.orDie(batches.token(item))
        if (token === undefined) return yield* new ItemRefused({ reason: "telegram_token_invalid" })
        const identity = yield* registrar.identify(token)
        yield* registrar.checkFree(token, hooksAt)
        if (dryRun) return
        const bot = yield* rows.create(appId, {
          ...identity,
          channelId,
          characterSlug: item.characterSlug ?? "",
          token,
          hooksAt,
          joinWindowMs: undefined,
          drafts: undefined,
          unknownPolicy: undefined
        })
        yield* registrar.register(bot, { hooksAt, dropPending: false })
      })

      const createManaged = Effect.fnUntraced(function* ({
        appId,
        channelId,
        characterSlug: slug,
        dryRun,
        hooksAt,
        linkMinutes: minutes,
        wanted
      }: BatchItem) {
        if (
          dryRun ||
          slug === null ||
          minutes === null ||
          wanted === null ||
          (yield* rows.get(appId, channelId)) !== undefined
        )
          return
        const {
          suggested_name: suggestedName,
          suggested_username: suggestedUsername,
          is_random: isRandom,
          owner_ref: ownerRef
        } = wanted
        yield* requests
          .create(appId, {
            channelId,
            characterSlug: slug,
            suggestedName,
            suggestedUsername,
            isRandom,
            ownerRef,
            hooksAt,
            linkMinutes: minutes,
            isShownAgain: true
          })
          .pipe(Effect.catchTag("NameTaken", () => new ItemRefused({ reason: "telegram_name_taken" })))
      })

      const rebrand = Effect.fnUntraced(function* (bot: StoredBot, since: Date) {
        const { waitSeconds, rejected } = yield* publisher.publish(bot, { withName: true, photoSince: since })
        if (waitSeconds !== null) return yield* new ItemWaits({ seconds: waitSeconds + MARGIN_SECONDS })
        if (rejected !== null) return yield* new ItemRefused({ reason: `profile_${rejected}_rejected` })
      })

      const change = Effect.fnUntraced(function* ({ action, dryRun, requestedAt }: BatchItem, bot: StoredBot) {
        if (action === "rotate_token" && bot.mode !== "managed")
          return yield* new ItemRefused({ reason: "bot_not_managed" })
        if (bot.status === "awaiting_creation" || (bot.status === "revoked" && action !== "rotate_token"))
          return yield* new ItemRefused({ reason: "bot_status_conflict" })
        if (dryRun) return
        switch (action) {
          case "suspend":
            return yield* rows.changeStatus(bot.app_id, bot.channel_id, suspension(bot.channel_id))
          case "resume":
            // A pending bot was resumed by a worker that died or could not reach Telegram before the webhook was set.
            if (bot.status !== "suspended" && bot.status !== "pending") return
            yield* rows.changeStatus(bot.app_id, bot.channel_id, RESUMPTION)
            return yield* registrar.register({ ...bot, status: "pending" }, { hooksAt: null, dropPending: false })
          case "rotate_secret":
            return yield* registrar.register(bot, { hooksAt: null, dropPending: false })
          case "rotate_token":
            return yield* manager.rotate(bot)
          case "rebrand":
            return yield* rebrand(bot, requestedAt)
        }
      })

      const run = (item: BatchItem) =>
        Effect.gen(function* () {
          if (item.attempts > MAX_TAKEN) return yield* new ItemRefused({ reason: "internal_error" })
          if (item.action === "create_managed") return yield* createManaged(item)
          if (item.action === "attach") return yield* attach(item)
          const bot = yield* rows.get(item.appId, item.channelId)
          return bot === undefined ? yield* new ItemRefused({ reason: "bot_not_found" }) : yield* change(item, bot)
        }).pipe(
          Effect.andThen(batches.done(item)),
          Effect.catchTags({
            ItemWaits: ({ seconds }) => batches.wait(item, seconds),
            ItemRefused: ({ reason }) => batches.failed(item, reason, false),
            TokenRejected: () => batches.failed(item, "telegram_token_invalid", false),
            ForeignWebhook: () => batches.failed(item, "telegram_webhook_foreign", false),
            BotTaken: () => batches.failed(item, "telegram_bot_taken", false),
            NoManager: () => batches.failed(item, "managed_bots_unavailable", false),
            TelegramUnavailable: () => batches.failed(item, "upstream_failed", true)
          }),
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) =>
              Effect.logError("batch item failed", cause).pipe(
                Effect.andThen(batches.failed(item, "internal_error", true))
              )
          ),
          Effect.annotateLogs({ batch_id: item.batchId, item: item.item })
        )

      const drain = (kind: BatchKind) =>
        Effect.gen(function* () {
          for (let next = yield* batches.next(kind); next !== undefined; next = yield* batches.next(kind)) {
            yield* typeof next === "number" ? Effect.sleep(next) : run(next)
          }
        })
      const drains = yield* Effect.forEach(BATCH_KINDS, (kind) =>
        Effect.map(Semaphore.make(AT_ONCE), (slots) => slots.withPermitsIfAvailable(1)(drain(kind)))
      )

      return BatchWorker.of({ work: Effect.all(drains, { concurrency: "unbounded", discard: true }) })
    })
  )
}

export const batchesTask = task(
  "batches",
  BatchWorker.use((batches) => batches.work),
  { cron: "* * * * *" }
)
