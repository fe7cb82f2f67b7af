import * as z from "zod"
import { RUBRICS } from "#pipeline/evals/Check.ts"
import { METRICS, OPERATORS } from "#pipeline/evals/Suite.ts"
import { expectedVersion } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"
import { cases } from "./evalCaseSchemas.ts"

const metric = z.enum([...METRICS, ...RUBRICS.map((rubric) => `rubric.${rubric}` as const)])
const gates = z.array(z.object({ metric, op: z.enum(OPERATORS), value: z.number() })).max(30)

export const SuiteCreate = z.object({
  name: text(1, 120),
  character_slug: text(1, 63),
  cases,
  gates: gates.default([]).meta({
    description:
      "A run passes if all gates hold. A gate on a value that was not " +
      "measured, such as a judge's score with the offline engine, fails"
  })
})
export const SuitePatch = z
  .object({
    name: text(1, 120).optional(),
    character_slug: text(1, 63).optional(),
    cases: cases.optional(),
    gates: gates.nullable().optional(),
    expected_version: expectedVersion()
  })
  .meta({ description: "Omitted fields stay unchanged. Lists are replaced as a whole" })

const time = z.iso.datetime()
const written = z.record(z.string(), z.unknown())
export const SuiteData = z.object({
  id: z.string(),
  name: z.string(),
  character_slug: z.string(),
  cases: z.array(
    z.object({
      key: z.string(),
      setup: written,
      turns: z.array(z.object({ user: z.string(), expect: z.array(written) })),
      expect: z.array(written),
      tags: z.array(z.string()),
      weight: z.number()
    })
  ),
  gates: z.array(z.object({ metric: z.string(), op: z.enum(OPERATORS), value: z.number() })),
  version: z.int(),
  created_at: time,
  updated_at: time
})
export const SuitePage = z.object({ suites: z.array(SuiteData), next_cursor: z.string().nullable() })
export const SuiteDeleted = z.object({ id: z.string(), status: z.literal("deleted") })
