import * as z from "zod"
import { RUBRICS } from "#pipeline/evals/Check.ts"

const status = z.enum(["pass", "fail", "skipped", "error"])
const checkResult = z.object({
  type: z.string(),
  turn: z.int().nullable().describe("Index of the turn, from 0. null: a check of the case"),
  status,
  detail: z.string(),
  score: z.number().optional(),
  rubric: z.enum(RUBRICS).optional(),
  judge: z.object({ model: z.string(), prompt_hash: z.string(), temperature: z.number().nullable() }).optional()
})
const loop = z.object({ id: z.string(), text: z.string() })
export const ResultPage = z.object({
  results: z.array(
    z.object({
      case_key: z.string(),
      repeat: z.int(),
      status,
      checks: z.array(checkResult),
      greeting: z.array(z.string()),
      turns: z.array(
        z.object({
          user: z.string(),
          outcome: z.string(),
          reason: z.string().nullable(),
          bubbles: z.array(z.string()),
          safety: z.string().nullable(),
          refused_by: z.array(z.string()),
          retrieved: z.array(z.string()).describe("Keys of the memories in setup that were found, best first"),
          cited: z.array(z.string()),
          emotion: z.string(),
          opened: z.array(loop),
          resolved: z.array(loop),
          latency_ms: z.number(),
          cost_usd: z.number()
        })
      ),
      cost_usd: z.number(),
      finished_at: z.iso.datetime().nullable()
    })
  ),
  next_cursor: z.string().nullable()
})
