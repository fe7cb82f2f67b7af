import * as z from "zod"
import { CHECKS, READINESS } from "#pipeline/readiness/Readiness.ts"

const time = z.iso.datetime()
const severity = z.enum(["blocker", "warning", "info"])

export const ProbeData = z.object({
  trace_id: z.string(),
  character_slug: z.string(),
  character_version: z.int(),
  status: z.enum(["queued", "running", "completed", "failed"]),
  engine: z.string().describe("The engine of the test. offline-retrieval.v1 does not use a model"),
  model: z.string(),
  passed: z.boolean().nullable().describe("Whether all turns passed. null until status is completed"),
  turns: z.array(
    z.object({
      key: z.string(),
      user: z.string(),
      reply: z.array(z.string()),
      outcome: z.enum(["replied", "withheld", "exited", "failed"]),
      status: z.enum(["pass", "fail"]),
      message: z.string(),
      latency_ms: z.number()
    })
  ),
  max_cost_usd: z.number(),
  cost_usd: z.number().describe("So far"),
  error_code: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable()
})

export const ReadinessData = z.object({
  status: z.enum(READINESS).describe("blocked: no new sessions with the character"),
  score: z
    .number()
    .describe("Share of the checks that passed, from 0 to 1, weighted by severity. Skipped checks do not count"),
  checks: z.array(
    z.object({
      key: z.enum(Object.keys(CHECKS) as [keyof typeof CHECKS]),
      severity,
      status: z.enum(["pass", "fail", "skipped"]),
      path: z.string().nullable().describe("Path of the field in the character"),
      message: z.string(),
      fix: z.string()
    })
  ),
  checked_version: z.int(),
  checked_at: time,
  probe: ProbeData.nullable().describe("The latest live probe, of any version")
})
