import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { type Batch, CHATS_PER_CLAIM, Updates } from "#src/db/telegram/Updates.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"
import { UpdateWorker } from "#src/jobs/telegram/UpdateWorker.ts"

const batchOf = (bot: string, chat: number): Batch => [
  {
    app_id: "app_1",
    channel_id: bot,
    update_id: chat,
    chat_id: chat,
    thread_id: 0,
    kind: "text",
    batch: chat,
    attempts: 1,
    raw: { update_id: chat }
  }
]

it.live("updates of a bot are handled while another bot has hundreds of chats whose handling never ends", () =>
  Effect.gen(function* () {
    const answered = yield* Deferred.make<void>()
    let claimed = 0
    const unused = <Service>(given: Partial<Service>) => given as Service
    const stubs = Layer.mergeAll(
      Layer.succeed(
        Updates,
        unused<Context.Service.Shape<typeof Updates>>({
          // The quiet bot's update arrived last, so a claim has room for it only without the busy bot.
          claim: (_, except) =>
            Effect.sync(() => {
              if (except.includes("bot_busy")) return { batches: [batchOf("bot_quiet", 0)], waiting: false }
              claimed += CHATS_PER_CLAIM
              return {
                batches: Array.from({ length: CHATS_PER_CLAIM }, (_, n) => batchOf("bot_busy", claimed + n)),
                waiting: true
              }
            }),
          done: ([{ channel_id }]) =>
            channel_id === "bot_quiet"
              ? Effect.as(Deferred.succeed(answered, undefined), true)
              : Effect.die("a chat of the busy bot ended"),
          giveUp: () => Effect.void,
          sweep: Effect.void
        })
      ),
      Layer.succeed(
        BotRows,
        unused<Context.Service.Shape<typeof BotRows>>({
          get: (_, bot) => (bot === "bot_quiet" ? Effect.undefined : Effect.never)
        })
      ),
      Layer.succeed(
        Membership,
        unused<Context.Service.Shape<typeof Membership>>({
          current: Effect.succeed(Option.some("wrk_1")),
          onPulse: () => Effect.void
        })
      ),
      Layer.succeed(SharedSweeps, SharedSweeps.of({ add: () => Effect.void }))
    )
    const worker = UpdateWorker.layer.pipe(Layer.provide(stubs)) as Layer.Layer<UpdateWorker>
    const { wake } = Context.get(yield* Layer.build(worker), UpdateWorker)
    yield* Effect.raceFirst(Deferred.await(answered), Effect.forever(Effect.andThen(wake, Effect.sleep("1 millis"))))
    assert.isAtLeast(claimed, CHATS_PER_CLAIM)
  }).pipe(Effect.scoped)
)
