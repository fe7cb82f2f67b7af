import * as z from "zod"

export const interval = z
  .object({ low: z.number(), high: z.number() })
  .nullable()
  .describe("95 % interval, by bootstrap over cases. null for fewer than two cases")
export const share = z.number().nullable()
