import type { Result } from "../Row.ts"
import type { BenchHarness } from "../support/BenchHarness.ts"
import { converse } from "./converse.ts"
import { english } from "./english.ts"
import { german } from "./german.ts"
import { type RecallHarness, makeRecallHarness, type Variant } from "./RecallHarness.ts"
import type { QuestionKind } from "./Life.ts"
import { falseClaims, recallOf } from "./measure.ts"

export const LIVES = [english, german]
const SEED = 7
const KINDS: ReadonlyArray<QuestionKind> = ["single", "multi-hop", "temporal", "pronoun", "neighbour"]

/** The current settings, and variants with one change each. */
const VARIANTS: ReadonlyArray<readonly [string, Variant]> = [
  ["as it is", {}],
  ["without neighbours", { nextTo: 0, nextButOne: 0 }],
  ["without the next but one", { nextButOne: 0 }],
  ["without the next", { nextTo: 0 }],
  ["next counts half of itself", { nextTo: 1 }],
  ["without facts", { notes: false }],
  ["without topic words", { topic: 0 }],
  ["without a second search", { second: 0 }],
  ["second search in full", { second: 1 }],
  ["words as they are: none of the three", { notes: false, topic: 0, second: 0 }],
  ["without recency", { recency: 0 }],
  ["recency in equal weight", { recency: 1 }],
  ["without expansion", { earlier: 0, name: 0 }],
  ["without earlier words", { earlier: 0 }],
  ["earlier words count half", { earlier: 0.5 }],
  ["without names", { name: 0 }],
  ["names count in full", { name: 1 }]
]

const GOAL = 0.6

/** The conversations of the set on these sessions, with the recall for each. */
export const recallSet = async (
  harness: BenchHarness,
  sessions: ReadonlyArray<string>
): Promise<ReadonlyArray<Result>> => {
  const open: Array<RecallHarness & { readonly close: () => Promise<void> }> = []
  try {
    for (const [n, life] of LIVES.entries())
      open.push(await makeRecallHarness(harness, sessions[n] ?? "", life, converse(life, SEED)))
    await harness.sql.unsafe("vacuum analyze")
    const results: Array<Result> = []
    for (const held of open) {
      const {
        life: { locale },
        conversation
      } = held
      const raw: Array<Record<string, string | number>> = []
      for (const kind of KINDS) {
        const { questions, at5, at10 } = await recallOf([held], (question) => question.kind === kind)
        raw.push({ locale, kind, questions, "recall@5": at5, "recall@10": at10 })
      }
      raw.push({ locale, kind: "negative", ...(await falseClaims(held)) })
      const { at5, at10 } = await recallOf([held], () => true)
      raw.push({ locale, kind: "all", "recall@5": at5, "recall@10": at10 })
      results.push({
        name: "recall set",
        what:
          `recall@10 of ${conversation.questions.length} questions over ${conversation.turns.length} turns and ` +
          `${held.facts} noted facts (${locale})`,
        ours: at10,
        limit: 1,
        unit: "",
        ratio: at10,
        goal: `>= ${GOAL}`,
        reached: at10 >= GOAL,
        raw
      })
    }
    const ablation: Array<Record<string, string | number>> = []
    for (const [variant, change] of VARIANTS) {
      const row: Record<string, string | number> = { variant }
      for (const held of open) {
        const { at5, at10 } = await recallOf([held], () => true, change)
        Object.assign(row, { [`${held.life.locale}@5`]: at5, [`${held.life.locale}@10`]: at10 })
      }
      const hops = await recallOf(open, ({ kind }) => kind === "multi-hop", change)
      const pronoun = await recallOf(open, ({ kind }) => kind === "pronoun", change)
      const neighbour = await recallOf(open, ({ kind }) => kind === "neighbour", change)
      const { at5, at10 } = await recallOf(open, () => true, change)
      ablation.push({
        ...row,
        "multi-hop@10": hops.at10,
        "pronoun@10": pronoun.at10,
        "neighbour@10": neighbour.at10,
        "recall@5": at5,
        "recall@10": at10
      })
    }
    const [whole, ...others] = ablation.map((row) => Number(row["recall@10"]))
    const worst = Math.min(...others)
    results.push({
      name: "recall ablation",
      what: "recall@10 as it is, against the worst of what is switched off or overdone",
      ours: whole ?? 0,
      limit: worst,
      unit: "",
      ratio: Math.round(((whole ?? 0) / worst) * 100) / 100,
      goal: ">= 1",
      reached: (whole ?? 0) >= worst,
      raw: ablation
    })
    return results
  } finally {
    for (const { close } of open) await close()
  }
}
