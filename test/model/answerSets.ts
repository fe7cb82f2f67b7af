import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { greetingBubbles } from "#pipeline/domain/greeting.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { repertoireOf } from "#src/model/offline/repertoire.ts"
import { LINE_KINDS, type LineKind } from "#src/model/offline/lineKinds.ts"
import { ownLinesIn } from "#src/model/offline/ownLines.ts"
import { characterOf } from "#test/support/conversation/turns.ts"
import { talk } from "#test/support/conversation/talk.ts"
import { fits } from "#test/memory/toldSets.ts"

interface Line {
  readonly text: string
  /** An answer contains one of these. Null: it is only said, not asked. */
  readonly answer: ReadonlyArray<string> | null
}
interface Script {
  readonly slug: string
  readonly lines: ReadonlyArray<Line>
}

export interface Answered {
  readonly question: string
  readonly reply: string
  readonly verdict: "answered" | "deflected" | "beside"
}

/** See sets/README.md. */
const scriptsOf = (half: "development" | "held-out"): ReadonlyArray<Script> =>
  readFileSync(new URL(`sets/${half}/questions.txt`, import.meta.url), "utf8")
    .split(/^== /m)
    .slice(1)
    .map((block) => {
      const [slug = "", ...rows] = block.trim().split("\n")
      return {
        slug,
        lines: rows.map((row) => {
          const [text = "", expected] = row.slice(2).split(" => ")
          return { text, answer: expected?.split("|") ?? null }
        })
      }
    })

/** Lines that leave a question open. */
const OPEN: ReadonlyArray<LineKind> = ["question_self", "question_world", "elaborate", "topic", "offer"]

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** How the demo characters answer the questions of a half. */
export const askAll = (half: "development" | "held-out") =>
  Effect.gen(function* () {
    const answered: Array<Answered> = []
    for (const [n, { slug, lines }] of scriptsOf(half).entries()) {
      const profile = demoCharacters.find((one) => one.slug === slug)
      if (profile === undefined) throw new Error(`there is no demo character ${slug}`)
      const character = characterOf(profile)
      const repertoire = repertoireOf(character)
      const open = OPEN.filter((kind) => LINE_KINDS.includes(kind)).flatMap((kind) =>
        [...repertoire.lines[kind], ...["en", "pt"].flatMap((language) => ownLinesIn(kind, language))]
          .map(words)
          .filter((line) => !line.includes("topics"))
      )
      const script = lines.map(({ text }) => text)
      const greeting = greetingBubbles(profile, 0).join("\n")
      const exchanges = yield* talk(character, script, { greeting, sessionId: `ses_${half}_${n}` })
      for (const [i, { answer, text }] of lines.entries()) {
        const reply = exchanges[i]?.reply ?? ""
        if (answer === null) continue
        const deflected = open.some((line) => words(reply).includes(line))
        answered.push({
          question: text,
          reply,
          verdict: deflected ? "deflected" : fits(reply, { groups: [answer], without: [] }) ? "answered" : "beside"
        })
      }
    }
    return answered
  })
