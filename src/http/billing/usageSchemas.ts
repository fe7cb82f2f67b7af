import * as z from "zod"
import { USAGE_GROUPS } from "#src/db/billing/Usage.ts"
import { REPORTED_KINDS, type ReportedKind } from "#pipeline/safety/reported.ts"
import { day, momentOrDay } from "#src/http/server/schemas/moment.ts"

/** `group_by` accepts the groups that make sense for the route. */
export const usageQuery = <const Groups extends ReadonlyArray<(typeof USAGE_GROUPS)[number]>>(...groups: Groups) =>
  z.object({
    from: momentOrDay.optional().describe("Start of the period (UTC), inclusive. Default: the first of this month"),
    to: momentOrDay.optional().describe("End of the period (UTC), exclusive. Default: now"),
    group_by: z.enum(groups).optional()
  })

const used = {
  messages: z.int().describe("Accepted messages"),
  proactive: z.int().describe("Turns in which a character wrote first"),
  images: z.int().describe("Images, without failed ones"),
  tokens: z
    .object({ input: z.int(), cached_input: z.int(), output: z.int() })
    .describe("Tokens of turns that have ended"),
  cost_usd: z.number(),
  priced: z
    .boolean()
    .describe("false: the price of a model in use is unknown, and its part of cost_usd is an assumption")
}
export const UsageData = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  ...used,
  group_by: z.enum(USAGE_GROUPS).nullable(),
  groups: z
    .array(
      z.object({
        key: z.string().nullable().describe("null: no longer known, such as an erased end-user"),
        ...used
      })
    )
    .describe("Days in order. Other groups by cost, highest first. At most 1000")
})

export const safetyQuery = z.object({
  from: day.optional().describe("Start of the period (UTC), inclusive. Default: the first of this year"),
  to: day.optional().describe("End of the period (UTC), exclusive. Default: the first of next year")
})

const MEANINGS: Readonly<Record<ReportedKind, string>> = {
  crisis_referrals: "Answers that gave help resources to someone who may harm themselves",
  emergency_referrals: "Answers to a medical emergency",
  danger_referrals: "Answers to someone in danger from another person",
  threat_referrals: "Answers to someone who may harm others",
  ai_disclosures:
    "Replies in which Troupe disclosed that an AI answers: before the first answer, or in place of a " +
    "reply that did not admit it",
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
  to: z.iso.date().describe("Exclusive"),
  total: z.object(counts),
  months: z
    .array(z.object({ month: z.string().describe("YYYY-MM, UTC"), ...counts }))
    .describe("In order. Months without any count are omitted")
})

const priceSource = z.enum(["list", "configured", "free", "assumed"])

export const RatesData = z.object({
  currency: z.literal("USD"),
  price_version: z.string().describe("Version of these prices. Each ledger entry made with them names it"),
  engine: z.string(),
  model: z.string(),
  priced: z
    .boolean()
    .describe(
      "Whether the price of the model is known. false: costs are an assumption, and the operator can " +
        "set the price in MODEL_PRICES"
    ),
  price_source: priceSource.describe("free: the offline engine, or a model on this machine or a private network"),
  rates: z.array(
    z.object({
      kind: z.enum(["message_fast", "message_deep", "proactive", "embedding", "transcription", "image", "eval_turn"]),
      unit: z.enum(["message", "text", "minute", "image", "turn"]),
      price_source: priceSource.describe(
        "assumed: the price of one of the models used for this is not known, and the operator can set it " +
          "in MODEL_PRICES"
      ),
      price_usd: z
        .number()
        .describe(
          "The amount reserved. For messages and proactive messages: the maximum cost of a short one to a " +
            "character of usual size. Longer messages and larger characters reserve more. embedding: the price of " +
            "the longest text, if a model for embeddings is configured. A turn reserves it, too. transcription: the " +
            "price of a minute of voice, if a model for voice is configured. image: the price of the most " +
            "expensive size. eval_turn: the amount reserved for a turn in fast mode, which costs nothing " +
            "with the offline engine"
        ),
      estimate_usd: z.number().describe("Typical cost")
    })
  ),
  tokens: z
    .array(z.object({ model: z.string(), input_usd: z.number(), cached_input_usd: z.number(), output_usd: z.number() }))
    .describe("Prices per million tokens. The tokens used are what is charged in the end")
})
