import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { REASONS, Reason } from "../domain/ProactiveBrief.ts"

const orElse = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const

/**
 * From one local time "HH:MM" to another. Crosses midnight if the second is earlier, and covers whole days if they are
 * equal. `days` (0 is Sunday) are those on which the span begins.
 */
export const Hours = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  days: orElse(Schema.Array(Schema.Int), EVERY_DAY)
})
export type Hours = typeof Hours.Type

const ChannelRule = Schema.Struct({
  allow: orElse(Schema.Boolean, true),
  daily_cap: orElse(Schema.NullOr(Schema.Int), null)
})

/** Limits for all characters of an app that write first (resources.md 12). Session controls never override them. */
export const Policy = Schema.Struct({
  enabled: orElse(Schema.Boolean, true),
  quiet_hours: orElse(Schema.Array(Hours), [{ from: "22:00", to: "08:00" }]),
  /** For people whose time zone is unknown, and for the app's day. */
  timezone: orElse(Schema.String, "UTC"),
  timezone_source: orElse(Schema.Literals(["end_user", "app"]), "end_user"),
  daily_cap_per_end_user: orElse(Schema.Int, 3),
  daily_cap_app: orElse(Schema.NullOr(Schema.Int), null),
  allowed_reasons: orElse(Schema.Array(Reason), REASONS),
  channel_policy: orElse(
    Schema.Struct({
      default: orElse(Schema.Literals(["allow", "deny"]), "allow"),
      /** By kind of push channel; `event_log`: of a session without one, which is read from its log. */
      channels: orElse(Schema.Record(Schema.String, ChannelRule), {})
    }),
    {}
  ),
  /** In US dollars: the app's cost of proactive messages per UTC day and per UTC month. */
  cost_cap: orElse(
    Schema.Struct({
      daily_usd: orElse(Schema.NullOr(Schema.Number), null),
      monthly_usd: orElse(Schema.NullOr(Schema.Number), null)
    }),
    {}
  )
})
export type Policy = typeof Policy.Type

export const readPolicy = Schema.decodeUnknownSync(Policy)
export const DEFAULT_POLICY: Policy = readPolicy({})
