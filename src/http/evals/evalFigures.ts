import * as z from "zod"

export const interval = z
  .object({ low: z.number(), high: z.number() })
  .nullable()
  .describe("95 %, by the bootstrap over cases; null of fewer than two")
export const share = z.number().nullable()
