import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Events for an app about its deliveries and bots, outside of any conversation. */
export const OPERATIONAL_TYPES = [
  "budget.warning",
  "character.not_ready",
  "delivery.unknown",
  "delivery.delayed",
  "chat.blocked",
  "chat.unblocked",
  "chat.unreachable",
  "bot.active",
  "bot.degraded",
  "bot.recovered",
  "bot.revoked",
  "bot.suspended",
  "bot.detached",
  "bot.owner_changed",
  "bot.token_replaced",
  "app.suspended",
  "app.resumed",
  "telegram.held",
  "telegram.released",
  "payment.pre_checkout",
  "payment.succeeded",
  "payment.paid_media",
  "payment.subscription"
] as const
export type OperationalType = (typeof OPERATIONAL_TYPES)[number]

/** Alerts of the server, on the log of its own alerts (`src/db/operators/alertsApp.ts`). No app gets these. */
export const ALERT_TYPES = ["alert.opened", "alert.repeated", "alert.resolved"] as const
export type AlertType = (typeof ALERT_TYPES)[number]

export interface OperationalEvent {
  readonly appId: string
  readonly type: OperationalType
  readonly payload: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Port: an app's log of operational events. It is a log like a session's, with cursors and lanes, under the app's own
 * id. Waits while the database is unavailable. Events that the database rejects are logged and lost.
 */
export class OperationalLog extends Context.Service<
  OperationalLog,
  {
    readonly append: (event: OperationalEvent) => Effect.Effect<void>
    /** Creates the app's log if it does not exist. */
    readonly begin: (appId: string) => Effect.Effect<void>
  }
>()("channels/OperationalLog") {}
