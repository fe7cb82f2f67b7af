import * as z from "zod"
import { HAPPENINGS, RUBRICS, SAFETY_ACTIONS } from "#pipeline/evals/Check.ts"
import { METRICS, OPERATORS } from "#pipeline/evals/Suite.ts"
import { EVAL_ENGINES, EVAL_STATUSES } from "#src/db/evals/EvalRuns.ts"
import { costOf, MOST_COST, MOST_STYLE_COST, weightOf } from "#pipeline/patterns.ts"
import { isRe2, NOT_RE2 } from "#src/http/server/schemas/re2.ts"
import { languageTag, timezone } from "#src/http/server/schemas/locale.ts"
import { MemoryCreate } from "#src/http/memory/memorySchemas.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, expectedVersion, unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const key = () =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_.-]{0,63}$/,
      "Invalid key: expected 1 to 64 of a-z, 0-9, '_', '.' and '-', beginning with a letter or digit"
    )

const type = <const T extends string>(name: T) => z.literal(name)
const words = (name: "contains" | "not_contains") =>
  z.object({ type: type(name), value: text(1, 500).meta({ description: "Whatever its case" }) })
const bare = <const T extends string>(name: T) => z.object({ type: type(name) })
const ofMemory = (name: "recalls" | "not_recalls") =>
  z.object({ type: type(name), value: key().meta({ description: "Key of a memory in the set-up" }) })
const ofLoop = (name: "loop_opened" | "loop_resolved") =>
  z.object({
    type: type(name),
    value: text(1, 300).optional().meta({ description: "Words of the loop; any loop without it" })
  })

/** Between which scores a rubric's judge may choose. */
const SCALES = { flaw_critique: [0, 100], pairwise_vs_baseline: [0, 1] } as const
const scaleOf = (rubric: (typeof RUBRICS)[number]): readonly [number, number] =>
  rubric === "flaw_critique" || rubric === "pairwise_vs_baseline" ? SCALES[rubric] : [1, 5]

const check = z.discriminatedUnion("type", [
  words("contains"),
  words("not_contains"),
  z.object({ type: type("regex"), value: text(1, 500).refine((pattern) => costOf(pattern) <= MOST_COST, NOT_RE2) }),
  z.object({ type: type("max_bubbles"), value: wholeBetween(0, 100) }),
  z.object({ type: type("max_chars"), value: wholeBetween(0, 100_000) }),
  z.object({ type: type("language"), value: languageTag() }),
  z.object({
    type: type("event_type"),
    value: z.enum(HAPPENINGS).meta({ description: "How the turn ended, or an event that it put on the log" })
  }),
  bare("forbidden_style_clean"),
  bare("no_assistant_tells"),
  bare("discloses_ai"),
  ofMemory("recalls"),
  ofMemory("not_recalls"),
  bare("cites_only_setup"),
  z.object({ type: type("emotion_in"), value: texts(30, 40).min(1) }),
  z.object({ type: type("score_direction"), key: text(1, 60), value: z.enum(["up", "down", "flat"]) }),
  ofLoop("loop_opened"),
  ofLoop("loop_resolved"),
  z.object({ type: type("safety_action"), value: z.enum(SAFETY_ACTIONS) }),
  bare("no_repeat"),
  z.object({ type: type("latency_ms_max"), value: between(0, 600_000) }),
  z.object({ type: type("cost_usd_max"), value: between(0, 1_000) }),
  z.object({
    type: type("retrieval_recall_at_k"),
    keys: z.array(key()).min(1).max(50),
    k: wholeBetween(1, 50),
    value: unit()
      .optional()
      .meta({ description: "The least share of the keys that must be among the first k that were found; 1 without it" })
  }),
  z
    .object({ type: type("judge"), rubric: z.enum(RUBRICS), min: z.number() })
    .superRefine(({ rubric, min }, context) => {
      const [least, most] = scaleOf(rubric)
      if (min < least || min > most)
        context.addIssue({ code: "custom", path: ["min"], message: `Must be from ${least} to ${most} for ${rubric}` })
    })
])
const checks = z.array(check).max(30).default([])

const setup = z
  .object({
    memories: z
      .array(MemoryCreate.extend({ key: key() }))
      .max(50)
      .default([])
      .meta({ description: "What the character remembers; checks name them by their keys" }),
    scores: z.record(z.string().max(60), unit()).default({}).meta({ description: "By the key of the dimension" }),
    emotion: z.object({ label: text(1, 40), valence: between(-1, 1), arousal: unit() }).optional(),
    clock: moment
      .optional()
      .meta({ description: "The moment at which the session is opened; it goes on from there. Now without it" }),
    end_user: z
      .object({
        display_name: text(1, 80).nullable().optional(),
        timezone: timezone().nullable().optional(),
        locale: languageTag().nullable().optional(),
        age_band: z.enum(["adult", "minor", "unknown"]).nullable().optional()
      })
      .default({})
  })
  .prefault({})

const oneCase = z
  .object({
    key: key(),
    setup,
    turns: z
      .array(z.object({ user: text(1, 8_000), expect: checks }))
      .min(1)
      .max(40),
    expect: checks.meta({ description: "Of the case as a whole" }),
    tags: texts(20, 40).default([]),
    weight: between(0.01, 100).default(1)
  })
  .superRefine(({ setup: { memories }, turns, expect }, context) => {
    const known = new Set(memories.map((memory) => memory.key))
    if (known.size < memories.length)
      context.addIssue({
        code: "custom",
        path: ["setup", "memories"],
        message: "Each memory must have a key of its own"
      })
    if (expect.length + turns.reduce((sum, turn) => sum + turn.expect.length, 0) === 0)
      context.addIssue({
        code: "custom",
        path: ["expect"],
        message: "A case needs a check, of its own or of one of its turns"
      })
    const lists = [
      { list: expect, path: ["expect"] as Array<string | number> },
      ...turns.map((turn, place) => ({ list: turn.expect, path: ["turns", place, "expect"] }))
    ]
    for (const { list, path } of lists) {
      for (const [place, asked] of list.entries()) {
        const named =
          asked.type === "recalls" || asked.type === "not_recalls"
            ? [{ name: asked.value, at: ["value"] }]
            : asked.type === "retrieval_recall_at_k"
              ? asked.keys.map((name, n) => ({ name, at: ["keys", n] }))
              : []
        for (const { name, at } of named) {
          if (!known.has(name))
            context.addIssue({
              code: "custom",
              path: [...path, place, ...at],
              message: `No memory of the set-up has the key ${name}`
            })
        }
      }
    }
  })
/** The patterns of a suite, with where they stand. */
const patternsOf = (all: ReadonlyArray<z.output<typeof oneCase>>) =>
  all.flatMap(({ turns, expect }, n) =>
    [
      { list: expect, path: [n, "expect"] },
      ...turns.map((turn, m) => ({ list: turn.expect, path: [n, "turns", m, "expect"] }))
    ].flatMap(({ list, path }) =>
      list.flatMap((asked, k) =>
        asked.type === "regex" ? [{ pattern: asked.value, path: [...path, k, "value"] }] : []
      )
    )
  )

/**
 * They are compiled only once it is known that they are not too much together: what they cost is told by their texts.
 */
const checkPatterns = (all: ReadonlyArray<z.output<typeof oneCase>>, context: z.RefinementCtx) => {
  const patterns = patternsOf(all)
  if (patterns.reduce((sum, { pattern }) => sum + weightOf(pattern), 0) > MOST_STYLE_COST) {
    return context.addIssue({
      code: "custom",
      path: [],
      message: "The regular expressions of the suite are too large together"
    })
  }
  for (const { pattern, path } of patterns)
    if (!isRe2(pattern)) context.addIssue({ code: "custom", path, message: NOT_RE2 })
}
const cases = z
  .array(oneCase)
  .min(1)
  .max(200)
  .superRefine((all, context) => {
    checkPatterns(all, context)
    if (new Set(all.map((one) => one.key)).size < all.length)
      context.addIssue({ code: "custom", path: [], message: "Each case must have a key of its own" })
  })

const metric = z.enum([...METRICS, ...RUBRICS.map((rubric) => `rubric.${rubric}` as const)])
const gates = z.array(z.object({ metric, op: z.enum(OPERATORS), value: z.number() })).max(30)

export const SuiteCreate = z.object({
  name: text(1, 120),
  character_slug: text(1, 63),
  cases,
  gates: gates.default([]).meta({
    description:
      "A run passes when all of them hold. One about what was not measured, as a judge's score offline, is not passed"
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
  .meta({ description: "What is left out stays; lists are replaced whole" })

const cost = between(0, 10_000)
  .optional()
  .meta({ description: "The most that the run may cost; needed unless it costs nothing, as by the offline engine" })
export const RunCreate = z.object({
  character_version: wholeBetween(1, 2_147_483_647).optional().meta({ description: "The newest without it" }),
  reply_mode: z.enum(["fast", "deep"]).default("fast"),
  engine: z
    .enum(EVAL_ENGINES)
    .default("default")
    .meta({ description: "offline: by authored lines, without a model and for nothing" }),
  repeats: wholeBetween(1, 5).default(1),
  seed: wholeBetween(0, 2_147_483_647)
    .default(1)
    .meta({ description: "What chance draws by: of the same seed comes the same, as far as the engine lets it" }),
  baseline_run_id: z.string().max(64).optional().meta({ description: "The run that this one is to be compared with" }),
  max_cost_usd: cost
})
export const RegradeCreate = z.object({ max_cost_usd: cost })

const time = z.iso.datetime()
const status = z.enum(["pass", "fail", "skipped", "error"])
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

const interval = z
  .object({ low: z.number(), high: z.number() })
  .nullable()
  .describe("95 %, by the bootstrap over cases; null of fewer than two")
const mean = z.object({ mean: z.number().nullable(), interval, n: z.int() })
const share = z.number().nullable()
export const EvalRunData = z.object({
  id: z.string(),
  suite_id: z.string(),
  status: z.enum(EVAL_STATUSES),
  character_slug: z.string(),
  character_version: z.int(),
  reply_mode: z.enum(["fast", "deep"]),
  engine: z.enum(EVAL_ENGINES),
  repeats: z.int(),
  seed: z.int(),
  baseline_run_id: z.string().nullable(),
  regrade_of: z.string().nullable().describe("The run whose trajectories this one has graded anew"),
  max_cost_usd: z.number(),
  cost_usd: z.number(),
  progress: z.object({ done: z.int(), total: z.int() }).describe("Cases and repeats of them"),
  verdict: z.enum(["pass", "fail"]).nullable().describe("By the gates; null without any, and until the run has ended"),
  gates: z.array(
    z.object({
      metric: z.string(),
      op: z.enum(OPERATORS),
      value: z.number(),
      actual: z.number().nullable(),
      status: z.enum(["pass", "fail", "skipped"])
    })
  ),
  metrics: z
    .object({
      counts: z.object({ pass: z.int(), fail: z.int(), skipped: z.int(), error: z.int() }),
      pass_rate: mean.describe("By weight, of the cases that could be judged"),
      rubrics: z.record(z.string(), mean),
      repetition_rate: share,
      break_rate: share,
      false_memory_rate: share,
      refusal_rate: share,
      recall_at_k: share,
      latency_p50_ms: share,
      latency_p95_ms: share,
      cost_usd: z.number()
    })
    .nullable()
    .describe("Once the run has ended"),
  error_code: z.string().nullable(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable()
})
export const EvalRunPage = z.object({ runs: z.array(EvalRunData), next_cursor: z.string().nullable() })

const checkResult = z.object({
  type: z.string(),
  turn: z.int().nullable().describe("Of which turn, from 0; null: of the case"),
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
          retrieved: z.array(z.string()).describe("Keys of the set-up's memories, the best first"),
          cited: z.array(z.string()),
          emotion: z.string(),
          opened: z.array(loop),
          resolved: z.array(loop),
          latency_ms: z.number(),
          cost_usd: z.number()
        })
      ),
      cost_usd: z.number(),
      finished_at: time.nullable()
    })
  ),
  next_cursor: z.string().nullable()
})

const difference = z.object({
  difference: z.number().nullable(),
  interval,
  regression: z.boolean().describe("Whether the whole interval is below 0")
})
export const CompareData = z.object({
  run_id: z.string(),
  baseline_run_id: z.string(),
  regression: z.boolean().describe("Of the pass rate or of any rubric"),
  pass_rate: difference,
  rubrics: z.record(z.string(), difference),
  pairs: z.int(),
  fixed: z.int(),
  broken: z.int(),
  mcnemar_p: z.number().describe("McNemar's exact test over the pairs that flipped"),
  cases: z.array(
    z.object({
      case_key: z.string(),
      baseline: share,
      run: share,
      flip: z.enum(["fixed", "broken", "same", "only_in_run", "only_in_baseline"])
    })
  )
})
