import * as z from "zod"
import { mapData, READS, type Tool, tool } from "../tool.ts"

const day = z.string().max(40).optional()

const usage = tool({
  name: "usage",
  title: "Usage",
  description: "What the app has used: messages, images, tokens and cost.",
  annotations: READS,
  input: z.object({
    from: day.describe("Start of the period, such as 2026-11-01. Default: the first of this month"),
    to: day.describe("End of the period, exclusive. Default: now"),
    group_by: z.enum(["day", "kind", "character", "model", "end_user"]).optional()
  }),
  output: z.looseObject({
    from: z.string(),
    to: z.string(),
    messages: z.int(),
    cost_usd: z.number(),
    groups: z.array(z.looseObject({}))
  }),
  run: async (query, { api, signal }) =>
    mapData(
      await api<{
        from: string
        to: string
        messages: number
        cost_usd: number
        groups: Array<Record<string, unknown>>
      }>({ method: "GET", path: "/v1/usage", query, signal }),
      (used) => ({ ...used })
    )
})

export const usageTools: ReadonlyArray<Tool> = [usage]
