import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { BY_OPERATOR, RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import type { BotStatus, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { Manager } from "./Manager.ts"
import type { NoManager } from "./manager/ManagerBot.ts"
import { Probe } from "./Probe.ts"
import { ProfilePublisher } from "./ProfilePublisher.ts"
import {
  type ForeignWebhook,
  type TelegramUnavailable,
  type TokenRejected,
  WebhookRegistrar
} from "./WebhookRegistrar.ts"

export const BOT_ACTIONS = ["suspend", "resume", "probe", "rotate_secret", "rotate_token", "rebrand"] as const
export type BotAction = (typeof BOT_ACTIONS)[number]

/** Why an action cannot be done to a bot. */
export class ActionRefused extends Schema.TaggedError<ActionRefused>()("ActionRefused", { reason: Schema.String }) {}

/** Telegram accepts it only after a delay, which may be hours. */
export class ActionWaits extends Schema.TaggedError<ActionWaits>()("ActionWaits", { seconds: Schema.Number }) {}

/** Added to the time that Telegram names. */
const MARGIN_SECONDS = 5

/** The statuses in which an action makes sense. */
const OPEN_TO: Readonly<Record<BotAction, ReadonlyArray<BotStatus>>> = {
  suspend: ["pending", "active", "degraded", "suspended"],
  resume: ["pending", "active", "degraded", "suspended"],
  probe: ["pending", "active", "degraded", "revoked"],
  rotate_secret: ["pending", "active", "degraded", "suspended"],
  rotate_token: ["pending", "active", "degraded", "suspended", "revoked"],
  rebrand: ["pending", "active", "degraded", "suspended"]
}

export interface ActionRequest {
  readonly action: BotAction
  readonly bot: StoredBot
  /** Checks only whether it could be done. */
  readonly dryRun: boolean
  /** A profile picture that was set before this is set again. */
  readonly requestedAt: Date
  /** Only the operator lifts a suspension of the operator. */
  readonly byOperator: boolean
  /**
   * Records the action. It runs in the transaction of the first change, before Telegram is asked: what Telegram then
   * refuses has begun all the same.
   */
  readonly record?: Effect.Effect<void, DatabaseError>
}

/** Actions on one bot, each of which may be repeated. */
export class BotActions extends Context.Service<
  BotActions,
  {
    readonly perform: (
      request: ActionRequest
    ) => Effect.Effect<
      void,
      ActionRefused | ActionWaits | TokenRejected | ForeignWebhook | TelegramUnavailable | NoManager | DatabaseError
    >
  }
>()("src/jobs/telegram/BotActions") {
  static readonly layer = Layer.effect(
    BotActions,
    Effect.gen(function* () {
      const rows = yield* BotRows
      const registrar = yield* WebhookRegistrar
      const manager = yield* Manager
      const publisher = yield* ProfilePublisher
      const probe = yield* Probe
      const { transaction } = yield* Database

      const rebrand = Effect.fnUntraced(function* (bot: StoredBot, since: Date) {
        const { waitSeconds, rejected } = yield* publisher.publish(bot, { withName: true, photoSince: since })
        if (waitSeconds !== null) return yield* new ActionWaits({ seconds: waitSeconds + MARGIN_SECONDS })
        if (rejected !== null) return yield* new ActionRefused({ reason: `profile_${rejected}_rejected` })
      })

      const perform = Effect.fnUntraced(function* ({
        action,
        bot,
        dryRun,
        requestedAt,
        byOperator,
        record = Effect.void
      }: ActionRequest) {
        const change = (first: Effect.Effect<void, DatabaseError>) => transaction(Effect.andThen(first, record))
        if (action === "rotate_token" && bot.mode !== "managed")
          return yield* new ActionRefused({ reason: "bot_not_managed" })
        if (!OPEN_TO[action].includes(bot.status)) return yield* new ActionRefused({ reason: "bot_status_conflict" })
        if (!byOperator && bot.reason === BY_OPERATOR && (action === "suspend" || action === "resume"))
          return yield* new ActionRefused({ reason: "bot_status_conflict" })
        if (dryRun) return
        switch (action) {
          case "suspend":
            return yield* change(rows.changeStatus(bot.app_id, bot.channel_id, suspension(bot.channel_id, byOperator)))
          case "resume":
            // A pending bot was resumed by a worker that died or could not reach Telegram before the webhook was set.
            if (bot.status !== "suspended" && bot.status !== "pending") return yield* record
            yield* change(rows.changeStatus(bot.app_id, bot.channel_id, RESUMPTION))
            yield* registrar.register({ ...bot, status: "pending" }, { hooksAt: null, dropPending: false })
            return
          case "probe":
            yield* record
            return yield* probe.probe(bot)
          case "rotate_secret":
            yield* record
            yield* registrar.register(bot, { hooksAt: null, dropPending: false })
            return
          case "rotate_token":
            yield* record
            return yield* manager.rotate(bot)
          case "rebrand":
            yield* record
            return yield* rebrand(bot, requestedAt)
        }
      })

      return BotActions.of({ perform })
    })
  )
}
