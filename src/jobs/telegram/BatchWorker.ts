import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import { BATCH_KINDS, type BatchKind, OPERATOR_BATCHES } from "#src/db/telegram/batches/batchKinds.ts"
import type { BatchItem } from "#src/db/telegram/batches/takeItem.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { Provisionings } from "#src/db/telegram/Provisionings.ts"
import { ProfilePublisher } from "./ProfilePublisher.ts"
import { WebhookRegistrar } from "./WebhookRegistrar.ts"
import { ActionRefused, ActionWaits, BotActions } from "./BotActions.ts"
import { task } from "#src/jobs/runner/task.ts"

/** An item that was claimed this often without a result is given up: it may be what kills its workers. */
const MAX_TAKEN = 10
/** When a lane has the maximum number of repeats waiting. */
const FULL_LANE_SECONDS = 30
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
      const actions = yield* BotActions
      const deliveries = yield* Deliveries
      const publisher = yield* ProfilePublisher

      const setUp = Effect.fnUntraced(function* (bot: StoredBot, hooksAt: string) {
        yield* registrar.register(bot, { hooksAt, dropPending: false })
        const registered = yield* rows.get(bot.app_id, bot.channel_id)
        if (registered !== undefined && registered.profile_due_at !== null) yield* publisher.introduce(registered)
      })
      const attach = Effect.fnUntraced(function* (item: BatchItem) {
        const { appId, channelId, dryRun, hooksAt } = item
        const there = yield* rows.get(appId, channelId)
        if (there !== undefined) return yield* setUp(there, hooksAt)
        const token = yield* Effect.orDie(batches.token(item))
        if (token === undefined) return yield* new ActionRefused({ reason: "telegram_token_invalid" })
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
        yield* setUp(bot, hooksAt)
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
          .pipe(Effect.catchTag("NameTaken", () => new ActionRefused({ reason: "telegram_name_taken" })))
      })

      /** The bot's lane may have reached its limit of repeats, which then have to be sent first. */
      const redeliver = Effect.fnUntraced(function* ({ targetApp, channelId, delivery }: BatchItem) {
        if (delivery === null) return yield* new ActionRefused({ reason: "internal_error" })
        const { session_id: sessionId, cursor } = delivery
        const repeated = yield* deliveries
          .retry(targetApp, sessionId, { channelId, cursor })
          .pipe(Effect.catchTag("RetryLimitReached", () => new ActionWaits({ seconds: FULL_LANE_SECONDS })))
        if (repeated === undefined) return yield* new ActionRefused({ reason: "delivery_not_found" })
      })

      const run = (item: BatchItem) =>
        Effect.gen(function* () {
          const { action, appId, targetApp, channelId, dryRun, requestedAt } = item
          if (item.attempts > MAX_TAKEN) return yield* new ActionRefused({ reason: "internal_error" })
          if (action === "create_managed") return yield* createManaged(item)
          if (action === "attach") return yield* attach(item)
          if (action === "redeliver") return yield* batches.doneWith(item, redeliver(item))
          const bot = yield* rows.get(targetApp, channelId)
          if (bot === undefined) return yield* new ActionRefused({ reason: "bot_not_found" })
          const byOperator = appId === OPERATOR_BATCHES
          return yield* actions.perform({ action, bot, dryRun, requestedAt, byOperator })
        }).pipe(
          Effect.andThen(batches.done(item)),
          Effect.catchTags({
            ActionWaits: ({ seconds }) => batches.wait(item, seconds),
            ActionRefused: ({ reason }) => batches.failed(item, reason, false),
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

      return BatchWorker.of({
        work: Effect.all(drains, { concurrency: "unbounded", discard: true }).pipe(Effect.andThen(batches.wakeAtNext))
      })
    })
  )
}

export const batchesTask = task(
  "batches",
  BatchWorker.use((batches) => batches.work),
  { cron: "* * * * *" }
)
