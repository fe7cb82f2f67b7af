import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const ofBot = { bot_id: Schema.String }
const ofChat = { channel_id: Schema.String, session_id: Schema.String }
const lostChat = Schema.Struct({ ...ofChat, reason: Schema.String })
/** The operator's words, shown to the app. */
const withReason = Schema.Struct({ reason: Schema.NullOr(Schema.String) })
const ofPayer = {
  channel_id: Schema.String,
  session_id: Schema.NullOr(Schema.String),
  telegram_user_id: Schema.Int
}
const ofInvoice = { currency: Schema.String, total_amount: Schema.Int, invoice_payload: Schema.String }

/** The payload of each event type for an app about its deliveries and bots, outside of any conversation. */
export const operationalPayloads = {
  "budget.warning": Schema.Struct({
    period: Schema.Literals(["day", "month", "total"]),
    share_percent: Schema.Finite,
    limit_usd: Schema.Finite,
    used_usd: Schema.Finite
  }),
  "character.not_ready": Schema.Struct({ channel_id: Schema.String, character_slug: Schema.String }),
  "delivery.unknown": Schema.Struct({
    channel_id: Schema.String,
    session_id: Schema.NullOr(Schema.String),
    event_id: Schema.String,
    event_cursor: Schema.Int,
    part: Schema.Int.annotate({ description: "Index of the message, from 0, if the event is several messages" })
  }),
  "delivery.delayed": Schema.Struct({
    channel_id: Schema.String,
    session_id: Schema.NullOr(Schema.String),
    event_cursor: Schema.Int,
    seconds: Schema.Finite
  }),
  "chat.blocked": lostChat,
  "chat.unblocked": Schema.Struct(ofChat),
  "chat.unreachable": lostChat,
  "bot.active": Schema.Struct({ ...ofBot, username: Schema.NullOr(Schema.String) }),
  "bot.degraded": Schema.Struct({ ...ofBot, reason: Schema.String }),
  "bot.recovered": Schema.Struct(ofBot),
  "bot.revoked": Schema.Struct({ ...ofBot, reason: Schema.String }),
  "bot.suspended": Schema.Struct(ofBot),
  "bot.detached": Schema.Struct({ ...ofBot, reason: Schema.String }),
  "bot.owner_changed": Schema.Struct(ofBot),
  "bot.token_replaced": Schema.Struct(ofBot),
  "app.suspended": withReason,
  "app.resumed": Schema.Struct({}),
  "telegram.held": withReason,
  "telegram.released": Schema.Struct({}),
  "payment.pre_checkout": Schema.Struct({
    ...ofPayer,
    query_id: Schema.String.annotate({ description: "Answer it within ten seconds, with answer-pre-checkout" }),
    ...ofInvoice
  }),
  "payment.succeeded": Schema.Struct({
    ...ofPayer,
    ...ofInvoice,
    telegram_payment_charge_id: Schema.String,
    provider_payment_charge_id: Schema.String,
    is_recurring: Schema.optionalKey(Schema.Boolean),
    subscription_expiration_date: Schema.optionalKey(Schema.Int)
  }),
  "payment.paid_media": Schema.Struct({ ...ofPayer, paid_media_payload: Schema.String }),
  "payment.subscription": Schema.Struct({ ...ofPayer, invoice_payload: Schema.String, state: Schema.String })
} as const
export type OperationalType = keyof typeof operationalPayloads
type OperationalPayload<T extends OperationalType> = (typeof operationalPayloads)[T]["Type"]
export const OPERATIONAL_TYPES = Object.keys(
  operationalPayloads
) as ReadonlyArray<string> as ReadonlyArray<OperationalType>

/** Alerts of the server, on the log of its own alerts (`src/health/alertsApp.ts`). No app gets these. */
export const ALERT_TYPES = ["alert.opened", "alert.repeated", "alert.resolved"] as const
export type AlertType = (typeof ALERT_TYPES)[number]
export interface AlertNews {
  readonly type: AlertType
  readonly payload: Readonly<Record<string, string | number | null>>
}

/** An operational event before it is on the log of an app. */
export type OperationalNews = {
  [T in OperationalType]: { readonly type: T; readonly payload: OperationalPayload<T> }
}[OperationalType]
export type OperationalEvent = OperationalNews & { readonly appId: string }

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
