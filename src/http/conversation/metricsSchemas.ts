import * as z from "zod"

const time = z.iso.datetime()
const tally = z.record(z.string(), z.int())

export const MetricsData = z.object({
  window: z.enum(["1h", "24h", "7d"]),
  since: time,
  turns: z.int(),
  complete: z.boolean().describe("false: there were more turns, and these are the latest 20,000"),
  outcomes: z.object({ replied: z.int(), withheld: z.int(), exited: z.int(), failed: z.int(), generating: z.int() }),
  latency: z
    .object({ p50_ms: z.number().nullable(), p95_ms: z.number().nullable() })
    .describe("Time from the acceptance of a message to its reply"),
  cost_usd: z.number(),
  tokens: z.object({ input: z.int(), cached_input: z.int(), output: z.int() }),
  gate_hits: tally.describe("Drafts that were refused, by gate"),
  withhold_rate: z.number().nullable().describe("Share of the turns that have ended"),
  exit_rate: z.number().nullable(),
  failure_reasons: tally,
  retrieval: z.object({
    p50_ms: z.number().nullable(),
    hit_rate: z.number().nullable().describe("Share of the searches that found something")
  }),
  proactive: z.object({ sent: z.int(), skipped_by: tally }),
  delivery: z.object({
    success_rate: z
      .number()
      .nullable()
      .describe("Share of the pushed events that were delivered. null: none was pushed")
  })
})
