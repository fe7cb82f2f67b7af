import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { REASONS, Reason } from "../domain/Initiative.ts"

const orElse = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const

/**
 * From a local time "HH:MM" to another, past midnight where the second comes first; whole days where they are the same.
 * `days` (0 is Sunday) are those on which it begins.
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

/** What holds for all characters of an app that write first (resources.md 12). Session controls never get past it. */
export const Policy = Schema.Struct({
  enabled: orElse(Schema.Boolean, true),
  quiet_hours: orElse(Schema.Array(Hours), [{ from: "22:00", to: "08:00" }]),
  /** Of people whose own is not known, and of the app's day. */
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
  /** In US dollars, of what writing first has cost the app on a day and in a month of UTC. */
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
