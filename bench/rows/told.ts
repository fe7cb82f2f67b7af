import { chatSet, talkSet, toldSet } from "#test/memory/toldSets.ts"
import { measureFacts } from "#test/memory/tell.ts"
import { type Asked, askLater, type Verdict } from "../memory-set/AskHarness.ts"
import type { Result, Row } from "../Row.ts"
import { startBenchHarness } from "../support/BenchHarness.ts"
import { round } from "../support/statistics.ts"

const HALVES = ["development", "held-out"] as const
const shows = process.env["SHOW"] === "1"

const shareOf = (part: number, whole: number): number => round(part / Math.max(1, whole))

const counted = (asked: ReadonlyArray<Asked>, verdict: Verdict): number =>
  asked.filter((one) => one.verdict === verdict).length

/**
 * How many facts told in natural ways are stored, and how questions about them are answered later in other words. For
 * the development half, `SHOW=1` prints what goes wrong.
 */
export const told: Row = {
  name: "told",
  run: async () => {
    const results: Array<Result> = []
    const people = HALVES.flatMap((half) => [
      { half, name: half, set: toldSet(half) },
      { half, name: `${half} talks`, set: Array.from(talkSet(half), ({ person }) => person) },
      { half, name: `${half} chats`, set: chatSet(half) }
    ])
    const harness = await startBenchHarness(people.reduce((sum, { set }) => sum + set.length, 0))
    let place = 0
    try {
      for (const { half, name, set } of people) {
        const facts = set.map(measureFacts)
        const sum = (of: (one: (typeof facts)[number]) => number) => facts.reduce((total, one) => total + of(one), 0)
        const [stored, all, silly, memories] = [
          sum((one) => one.stored),
          sum((one) => one.told),
          sum((one) => one.silly),
          sum((one) => one.memories)
        ]
        const result = (what: string, ours: number, limit: number, most: boolean, raw: Result["raw"] = []): Result => ({
          name: "told",
          what: `${name}: ${what}`,
          ours,
          limit,
          unit: "",
          ratio: limit === 0 ? ours : round(ours / limit),
          goal: `${most ? "<=" : ">="} ${limit}`,
          reached: most ? ours <= limit : ours >= limit,
          raw
        })
        results.push(
          result(`facts stored, ${stored} of ${all}`, shareOf(stored, all), 0.9, false),
          result(`silly memories, ${silly} of ${memories}`, shareOf(silly, memories), 0.05, true)
        )
        const asked: Array<Asked> = []
        for (const person of set) asked.push(...(await askLater(harness, harness.sessions[place++] ?? "", person)))
        const answerable = asked.filter(({ question }) => question.answer !== null)
        const share = (verdict: Verdict) => shareOf(counted(answerable, verdict), answerable.length)
        results.push(
          result(
            `asked later, correct of ${answerable.length}`,
            share("correct"),
            0.5,
            false,
            (["correct", "denied", "lost", "wrong", "evaded"] as const).map((verdict) => ({
              verdict,
              count: counted(answerable, verdict)
            }))
          ),
          result(`asked later, denied of ${answerable.length}`, share("denied"), 0.1, true),
          result(`never told but quoted, of ${asked.length - answerable.length}`, counted(asked, "invented"), 0, true)
        )
        if (shows && half === "development") {
          for (const { missed, wrong } of facts)
            for (const line of [...missed.map((one) => `missed ${one}`), ...wrong.map((one) => `silly  ${one}`)])
              console.log(`    ${line}`)
          for (const { question, line, verdict } of asked)
            if (verdict !== "correct" && verdict !== "fine")
              console.log(`    ${verdict.padEnd(8)} ${question.text} -> ${line.replaceAll("\n", " ")}`)
        }
      }
    } finally {
      await harness.close()
    }
    return results
  }
}
