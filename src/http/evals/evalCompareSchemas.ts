import * as z from "zod"
import { interval, share } from "./evalFigures.ts"

const difference = z.object({
  difference: z.number().nullable(),
  interval,
  regression: z.boolean().describe("true if the whole interval is below 0")
})
export const CompareData = z.object({
  run_id: z.string(),
  baseline_run_id: z.string(),
  regression: z.boolean().describe("true if the pass rate or any rubric has a regression"),
  pass_rate: difference,
  rubrics: z.record(z.string(), difference),
  pairs: z.int(),
  fixed: z.int(),
  broken: z.int(),
  mcnemar_p: z.number().describe("McNemar's exact test over the pairs whose result changed"),
  cases: z.array(
    z.object({
      case_key: z.string(),
      baseline: share,
      run: share,
      flip: z.enum(["fixed", "broken", "same", "only_in_run", "only_in_baseline"])
    })
  )
})
