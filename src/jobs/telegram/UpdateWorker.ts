import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { TROUPE } from "#pipeline/telemetry/genAi.ts"
import { inSpan } from "#pipeline/telemetry/trace.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { type Batch, CHATS_PER_CLAIM, Updates } from "#src/db/telegram/Updates.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { attempt } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"
import { handleBatch } from "./handleBatch.ts"
import { declineChat } from "./declineChat.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Maximum number of chats whose updates one process handles at once. */
const MAX_IN_FLIGHT = 192
/** No more are claimed before there is room for a whole claim, because a claim scans everything that waits. */
const MAX_BEFORE_CLAIM = MAX_IN_FLIGHT - CHATS_PER_CLAIM
/** No more chats of a bot are claimed while it has more than this in progress. Other bots do not wait for it. */
const ENOUGH_OF_ONE_BOT = 64
/** How soon to check again for updates that are not due yet. */
const SOON = Duration.millis(150)
/** How long running updates may take to finish after a stop request. */
const DRAIN = "3 seconds"

/** Whether PostgreSQL rejected a value, so that a retry would fail again. */
const isOfValue = (error: unknown): boolean =>
  error instanceof DatabaseError && error.sqlState?.startsWith("22") === true
const isOurs = (error: { readonly _tag: string; readonly cause?: unknown }) =>
  (error._tag === "DatabaseError" || error._tag === "InboxUnavailable" || error._tag === "ChatsUnavailable") &&
  !isOfValue(error) &&
  !isOfValue(error.cause)

/**
 * Handles Telegram's updates in order within each chat. An update stays a row until it is done: if a worker dies, the
 * next one takes it.
 */
export class UpdateWorker extends Context.Service<
  UpdateWorker,
  {
    /** There may be new updates. */
    readonly wake: Effect.Effect<void>
  }
>()("src/jobs/telegram/UpdateWorker") {
  static readonly layer = Layer.effect(
    UpdateWorker,
    Effect.gen(function* () {
      const updates = yield* Updates
      const membership = yield* Membership
      const sweeps = yield* SharedSweeps
      const wakes = yield* Queue.sliding<void>(1)
      const handling = yield* FiberSet.make()
      let inFlight = 0
      const ofBot = new Map<string, number>()
      const count = ([{ channel_id }]: Batch, by: 1 | -1) => {
        inFlight += by
        const left = (ofBot.get(channel_id) ?? 0) + by
        if (left === 0) ofBot.delete(channel_id)
        else ofBot.set(channel_id, left)
        return left
      }
      const busyBots = () => [...ofBot].flatMap(([bot, chats]) => (chats > ENOUGH_OF_ONE_BOT ? [bot] : []))

      const giveUp = (batch: Batch) =>
        Effect.andThen(
          Effect.logError("Telegram update given up: it crashed its process too often"),
          updates.giveUp(batch)
        )
      const unitOfBatch = ([{ app_id, channel_id, update_id }]: Batch) =>
        unitOf("update", app_id, `${channel_id} ${update_id}`)
      const handle = (batch: Batch) =>
        attempt(
          unitOfBatch(batch),
          inSpan("telegram update", "consumer", {
            [TROUPE.app]: batch[0].app_id,
            [TROUPE.channel]: batch[0].channel_id
          })(handleBatch(batch)),
          giveUp(batch)
        ).pipe(
          Effect.catchTags({
            CharacterUnavailable: ({ reason }) => declineChat(batch, reason),
            QuotaReached: () => updates.done(batch)
          }),
          Effect.catchIf(isOurs, (error) => updates.failed(batch, error._tag, true)),
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) =>
              Effect.logError("Telegram update failed", cause).pipe(
                Effect.andThen(updates.failed(batch, "defect", false))
              )
          ),
          Effect.annotateLogs({ bot_id: batch[0].channel_id, update_id: batch[0].update_id })
        )

      const begin = (batch: Batch) => {
        count(batch, 1)
        return FiberSet.run(
          handling,
          handle(batch).pipe(
            Effect.catchTag("DatabaseError", (error) =>
              Effect.logWarning("Telegram update aborted", { reason: error.message })
            ),
            Effect.ensuring(
              Effect.sync(() => {
                if (count(batch, -1) <= ENOUGH_OF_ONE_BOT || inFlight === MAX_BEFORE_CLAIM)
                  Queue.offerUnsafe(wakes, undefined)
              })
            )
          )
        )
      }

      let pause = Duration.infinity
      const look = Effect.uninterruptible(
        Effect.gen(function* () {
          pause = Duration.infinity
          const owner = yield* membership.current
          if (Option.isNone(owner) || inFlight > MAX_BEFORE_CLAIM) return
          const { batches, waiting } = yield* updates.claim(owner.value, busyBots())
          for (const batch of batches) yield* begin(batch)
          if (waiting) pause = SOON
        })
      ).pipe(Effect.catchTag("DatabaseError", logDatabaseError("Telegram updates could not be claimed")))
      const sweep = updates.sweep.pipe(Effect.catchTag("DatabaseError", () => Effect.void))

      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(handling).pipe(Effect.timeoutOption(DRAIN), Effect.andThen(FiberSet.clear(handling)))
      )
      yield* repeatForever(
        "0 millis",
        Effect.suspend(() => Queue.take(wakes).pipe(Effect.timeoutOption(pause), Effect.andThen(look)))
      ).pipe(Effect.annotateLogs({ service: "UpdateWorker" }), Effect.forkScoped)
      yield* sweeps.add(sweep)
      yield* membership.onPulse(({ open_updates }) =>
        open_updates ? Effect.sync(() => Queue.offerUnsafe(wakes, undefined)) : Effect.void
      )

      return UpdateWorker.of({ wake: Effect.sync(() => Queue.offerUnsafe(wakes, undefined)) })
    })
  )
}

export const telegramTask = task(
  "telegram",
  UpdateWorker.use((updateWorker) => updateWorker.wake)
)
