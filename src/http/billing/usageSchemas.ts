import * as z from "zod"
import { USAGE_GROUPS } from "#src/db/billing/Usage.ts"
import { REPORTED_KINDS, type ReportedKind } from "#pipeline/safety/reported.ts"
import { day, momentOrDay } from "#src/http/server/schemas/moment.ts"

/** `group_by` accepts the groups that make sense for the route. */
export const usageQuery = <const Groups extends ReadonlyArray<(typeof USAGE_GROUPS)[number]>>(...groups: Groups) =>
  z.object({
    from: momentOrDay.optional().describe("From this day or moment on (UTC); the first of this month when left out"),
    to: momentOrDay.optional().describe("Up to, and without, this day or moment; now when left out"),
    group_by: z.enum(groups).optional()
  })

const used = {
  messages: z.int().describe("Messages that were accepted"),
  proactive: z.int().describe("Turns by which characters wrote first"),
  images: z.int().describe("Pictures, without those that came to nothing"),
  tokens: z.object({ input: z.int(), cached_input: z.int(), output: z.int() }).describe("Of turns that have ended"),
  cost_usd: z.number(),
  priced: z
    .boolean()
    .describe("false: a model took part whose price nobody has named; its part of cost_usd is an assumption")
}
export const UsageData = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  ...used,
  group_by: z.enum(USAGE_GROUPS).nullable(),
  groups: z
    .array(
      z.object({
        key: z.string().nullable().describe("null: of what is not known any more, such as an end-user who was erased"),
        ...used
      })
    )
    .describe("Days in order; everything else the dearest first, at most 1000")
})

export const safetyQuery = z.object({
  from: day.optional().describe("From this day on (UTC); the first of this year when left out"),
  to: day.optional().describe("Up to, and without, this day (UTC); the first of next year when left out")
})

const MEANINGS: Readonly<Record<ReportedKind, string>> = {
  crisis_referrals: "Answers to somebody who may harm themselves, with where to find help",
  emergency_referrals: "Answers to a medical emergency",
  danger_referrals: "Answers to somebody in danger from another person",
  threat_referrals: "Answers to somebody who may harm others",
  ai_disclosures:
    "Replies in which Troupe said that an AI answers: before the first answer, or instead of a reply that did " +
    "not admit it",
  break_reminders: "Reminders to a minor to take a break"
}
const counts = z.object(
  Object.fromEntries(REPORTED_KINDS.map((kind) => [kind, z.int().describe(MEANINGS[kind])])) as Record<
    ReportedKind,
    z.ZodInt
  >
).shape

export const SafetyUsageData = z.object({
  from: z.iso.date(),
  to: z.iso.date().describe("Not included"),
  total: z.object(counts),
  months: z
    .array(z.object({ month: z.string().describe("YYYY-MM, UTC"), ...counts }))
    .describe("In order. Months in which nothing was counted are left out")
})

export const RatesData = z.object({
  currency: z.literal("USD"),
  price_version: z.string().describe("Stands on every entry of the ledger that was made by these prices"),
  engine: z.string(),
  model: z.string(),
  priced: z
    .boolean()
    .describe(
      "Whether the price of the model is known. false: what it costs is assumed; the operator can name it in " +
        "MODEL_PRICES"
    ),
  price_source: z
    .enum(["list", "configured", "free", "assumed"])
    .describe("free: the offline engine, or a model on this machine or a private network"),
  rates: z.array(
    z.object({
      kind: z.enum(["message_fast", "message_deep", "proactive", "transcription", "image", "eval_turn"]),
      unit: z.enum(["message", "minute", "image", "turn"]),
      price_usd: z
        .number()
        .describe(
          "What is reserved for a short message to a character of usual size, or for one that a character " +
            "writes first: the most that it may cost. Longer messages and larger characters reserve more. Or " +
            "what is paid " +
            "for a minute of voice, where there is a model that listens; or for a picture, of the dearest size; " +
            "what is " +
            "held for a turn of an eval in fast mode, which costs nothing by the offline engine"
        ),
      estimate_usd: z.number().describe("About what one costs")
    })
  ),
  tokens: z
    .array(z.object({ model: z.string(), input_usd: z.number(), cached_input_usd: z.number(), output_usd: z.number() }))
    .describe("Prices for a million tokens; what is settled is what was used of them")
})
