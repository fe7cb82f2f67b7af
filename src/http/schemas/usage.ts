import * as z from "zod"
import { USAGE_GROUPS } from "#src/db/Usage.ts"
import { momentOrDay } from "./moment.ts"

/** `group_by` takes what makes sense at the place. */
export const usageQuery = <const Groups extends ReadonlyArray<(typeof USAGE_GROUPS)[number]>>(...groups: Groups) => z.object({
  from: momentOrDay.optional().describe("From this day or moment on (UTC); the first of this month when left out"),
  to: momentOrDay.optional().describe("Up to, and without, this day or moment; now when left out"),
  group_by: z.enum(groups).optional()
})

const used = {
  messages: z.int().describe("Messages that were accepted"),
  proactive: z.int().describe("Turns by which characters wrote first"),
  images: z.int().describe("Pictures, without those that came to nothing"),
  tokens: z.object({ input: z.int(), cached_input: z.int(), output: z.int() }).describe("Of turns that have ended"),
  cost_usd: z.number()
}
export const UsageData = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  ...used,
  group_by: z.enum(USAGE_GROUPS).nullable(),
  groups: z.array(z.object({ key: z.string().nullable().describe("null: of what is not known any more, such as an end-user who was erased"), ...used })).describe("Days in order; everything else the dearest first, at most 1000")
})

export const RatesData = z.object({
  currency: z.literal("USD"),
  price_version: z.string().describe("Stands on every entry of the ledger that was made by these prices"),
  engine: z.string(),
  model: z.string(),
  rates: z.array(z.object({
    kind: z.enum(["message_fast", "message_deep", "proactive", "transcription", "image", "eval_turn"]),
    unit: z.enum(["message", "minute", "image", "turn"]),
    price_usd: z.number().describe("What is held for a message when it is accepted, or for one of the character's own accord when it is begun: the most that it is planned to cost; what is paid for a minute of voice, where there is a model that listens; or for a picture, of the dearest size; what is held for a turn of an eval in fast mode, which costs nothing by the offline engine"),
    estimate_usd: z.number().describe("About what one costs")
  })),
  tokens: z.array(z.object({ model: z.string(), input_usd: z.number(), cached_input_usd: z.number(), output_usd: z.number() })).describe("List prices for a million tokens; what is settled is what was used of them")
})
