import * as z from "zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { REASONS } from "#pipeline/domain/ProactiveBrief.ts"
import { clockTime, timezone } from "#src/http/server/schemas/locale.ts"
import { applyMergePatch, mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, expectedVersion, wholeBetween } from "#src/http/server/schemas/number.ts"
import { proactiveControls } from "#src/http/character/proactiveControls.ts"
import { ProactiveStateData } from "#src/http/conversation/sessionStateSchemas.ts"

const Reason = z.enum(REASONS).meta({ title: "ProactiveReason" })
const time = z.iso.datetime()
const MAX_USD = 1_000_000
const usd = (description: string) => between(0, MAX_USD).nullable().optional().meta({ description })
const rule = z.object({
  allow: z.boolean().optional().meta({ description: "Default true" }),
  daily_cap: wholeBetween(0, 1_000_000)
    .nullable()
    .optional()
    .meta({ description: "Limit for the app per day. null: no limit" })
})

const proactivePolicy = (kinds: ReadonlyArray<ChannelKind>) =>
  z.object({
    enabled: z.boolean().optional().meta({ description: "Default true. false: no character of the app writes first" }),
    quiet_hours: z
      .array(
        z.object({
          from: clockTime(),
          to: clockTime(),
          days: z
            .array(wholeBetween(0, 6))
            .min(1)
            .max(7)
            .optional()
            .meta({ description: "Days on which it starts. 0 is Sunday. Default: every day" })
        })
      )
      .max(7)
      .optional()
      .meta({
        description:
          "Hours without proactive messages. They continue past midnight if `to` is before " +
          "`from`, and last a whole day if both are the same. Default 22:00 to 08:00"
      }),
    timezone: timezone()
      .optional()
      .meta({ description: "Time zone for the app's day, and for people whose time zone is unknown. Default UTC" }),
    timezone_source: z
      .enum(["end_user", "app"])
      .optional()
      .meta({ description: "Whose local time applies to quiet hours and the day. Default end_user" }),
    daily_cap_per_end_user: wholeBetween(0, 50)
      .optional()
      .meta({ description: "Limit per person, for all characters of the app together. Default 3" }),
    daily_cap_app: wholeBetween(0, 1_000_000).nullable().optional(),
    allowed_reasons: z
      .array(Reason)
      .max(REASONS.length)
      .optional()
      .meta({
        description:
          "Default: all. scheduled_message: what the app has scheduled with POST " +
          "/v1/sessions/{session_id}/proactive/schedule"
      }),
    channel_policy: z
      .object({
        default: z
          .enum(["allow", "deny"])
          .optional()
          .meta({ description: "For channels without a rule. Default allow" }),
        channels: z
          .object({
            event_log: rule.optional().meta({ description: "For sessions without a push channel" }),
            ...Object.fromEntries(kinds.map(({ name }) => [name, rule.optional()]))
          })
          .optional()
      })
      .optional()
      .meta({ description: "A message is sent through all channels of its session, so each of them must allow it" }),
    cost_cap: z
      .object({ daily_usd: usd("Per day (UTC). null: no limit"), monthly_usd: usd("Per month (UTC). null: no limit") })
      .optional()
      .meta({ description: "Budget for proactive messages" })
  })

export const proactivePolicyPatch = (kinds: ReadonlyArray<ChannelKind>) =>
  mergePatchOf(proactivePolicy(kinds)).extend({ expected_version: expectedVersion() }).meta({
    description: "JSON merge patch (RFC 7396): null restores the default, and an array is replaced as a whole"
  })

/** The stored policy after a patch. Null fields are left out. */
export const policyMerge = (kinds: ReadonlyArray<ChannelKind>) => {
  const schema = proactivePolicy(kinds)
  return (policy: object, patch: object): z.ZodSafeParseResult<object> =>
    schema.safeParse(applyMergePatch(policy, patch))
}

const hours = z.object({ from: z.string(), to: z.string(), days: z.array(z.int()) })
export const ProactivePolicyData = z.object({
  enabled: z.boolean(),
  quiet_hours: z.array(hours),
  timezone: z.string(),
  timezone_source: z.enum(["end_user", "app"]),
  daily_cap_per_end_user: z.int(),
  daily_cap_app: z.int().nullable(),
  allowed_reasons: z.array(Reason),
  channel_policy: z.object({
    default: z.enum(["allow", "deny"]),
    channels: z.record(z.string(), z.object({ allow: z.boolean(), daily_cap: z.int().nullable() }))
  }),
  cost_cap: z.object({ daily_usd: z.number().nullable(), monthly_usd: z.number().nullable() }),
  minors: z.literal("off").describe("Known minors are never written to first"),
  version: z.int()
})

export const ProactiveDecisionPage = z.object({
  decisions: z.array(
    z.object({
      id: z.string(),
      at: time,
      session_id: z.string(),
      reason: Reason.nullable(),
      decision: z.enum(["sent", "skipped"]).describe("sent: a turn was started, and nothing has stopped it so far"),
      skipped_by: z
        .string()
        .nullable()
        .describe(
          "The first gate that was closed, or why the started turn sent nothing: overtaken " +
            "(the person wrote first), failed, or a check of the written text. crashed: checks of this session " +
            "have crashed their process five times, so it is checked once a day"
        ),
      run_ref: z.string().nullable(),
      next_eligible_at: time.nullable().describe("As known at that time. null: not by itself")
    })
  ),
  next_cursor: z.string().nullable()
})

export const ProactiveControlsData = z.object({
  session_id: z.string(),
  ...Object.fromEntries(
    Object.keys(proactiveControls.shape).map((field) => [
      field,
      z.union([z.boolean(), z.number()]).nullable().describe("Override of the session. null: none")
    ])
  ),
  ...ProactiveStateData.shape
})

export const EvaluateBody = z.object({
  now: moment.optional().meta({ description: "Evaluate for this time. Default: now" }),
  dry_run: z
    .boolean()
    .default(true)
    .meta({
      description:
        "false (demo keys only): act on the decision as if it were `now`, to " +
        "test within minutes what a character does unprompted"
    })
})

export const EvaluationData = z.object({
  session_id: z.string(),
  evaluated_at: time,
  dry_run: z.boolean(),
  decision: z.enum(["send", "skip"]),
  reason: Reason,
  skipped_by: z.string().nullable(),
  gates: z
    .array(z.object({ gate: z.string(), result: z.enum(["open", "shut", "not_reached"]) }))
    .describe("In order of evaluation. The text is then checked again in the turn itself"),
  next_eligible_at: time.nullable(),
  run_ref: z.string().nullable().describe("The turn that was started. null: none")
})
