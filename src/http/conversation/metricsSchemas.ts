import * as z from "zod"

const time = z.iso.datetime()
const tally = z.record(z.string(), z.int())

export const MetricsData = z.object({
  window: z.enum(["1h", "24h", "7d"]),
  since: time,
  turns: z.int(),
  complete: z.boolean().describe("false: there were more turns than these, the latest 20,000"),
  outcomes: z.object({ replied: z.int(), withheld: z.int(), exited: z.int(), failed: z.int(), generating: z.int() }),
  latency: z
    .object({ p50_ms: z.number().nullable(), p95_ms: z.number().nullable() })
    .describe("From the acceptance of a message to its reply"),
  cost_usd: z.number(),
  tokens: z.object({ input: z.int(), cached_input: z.int(), output: z.int() }),
  gate_hits: tally.describe("What the gates refused, by gate"),
  withhold_rate: z.number().nullable().describe("Of the turns that have ended"),
  exit_rate: z.number().nullable(),
  failure_reasons: tally,
  retrieval: z.object({
    p50_ms: z.number().nullable(),
    hit_rate: z.number().nullable().describe("How many of the searches found something")
  }),
  proactive: z.object({ sent: z.int(), skipped_by: tally }),
  delivery: z.object({
    success_rate: z
      .number()
      .nullable()
      .describe("How many of the events that were pushed have arrived; null: none was pushed")
  })
})
