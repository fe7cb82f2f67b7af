import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { decide } from "#pipeline/relational/decide.ts"
import { type Extraction, NOTHING_EXTRACTED } from "#pipeline/relational/Extraction.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { NEW_RELATIONSHIP } from "#pipeline/relational/Relationship.ts"
import { judge } from "#pipeline/relational/voices/judge.ts"
import { plainCharacter, turnOf } from "#test/support/conversation/turns.ts"

interface Claim {
  readonly quote: string
  readonly text: string
  /** Whether it is a fact that the person states of themselves. */
  readonly is_fact: boolean
}
interface Message {
  readonly language: string
  readonly text: string
  readonly claims: ReadonlyArray<Claim>
}

const FOLDER = new URL("subjects/", import.meta.url)
const SETS = readdirSync(FOLDER).map((file) => ({
  name: file.replace(".json", ""),
  messages: JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as ReadonlyArray<Message>
}))
const BOUNDS: Readonly<Record<string, { readonly precision: number; readonly lost: number }>> = {
  development: { precision: 0.95, lost: 0.03 },
  "held-out": { precision: 0.6, lost: 0.1 }
}

/** What is stored of a message from which a careless model extracts these memories. */
const stored = (text: string, memories: ReadonlyArray<Partial<Extraction["memories"][number]>>) => {
  const turn: EndedTurn = {
    sessionId: "ses_1",
    turnIndex: 1,
    character: plainCharacter,
    endUser: { ...turnOf({}).endUser, displayName: "Pat" },
    outcome: "replied",
    history: [],
    message: { role: "user", text, cursor: 1, at: new Date(0) },
    reply: null,
    at: new Date(0)
  }
  const extraction: Extraction = {
    ...NOTHING_EXTRACTED,
    memories: memories.map((memory) => ({
      kind: "fact",
      subject: "user",
      about: null,
      said_by: null,
      text: "",
      importance: 5,
      confidence: 0.9,
      quote: "",
      happened_on: null,
      linked_ids: [],
      ...memory
    }))
  }
  return decide(NEW_RELATIONSHIP, turn, extraction, []).memories
}

const measure = (messages: ReadonlyArray<Message>) => {
  const judged = messages.flatMap(({ text, claims }) =>
    claims.map(({ quote, text: claimed, is_fact }) => ({
      text,
      quote,
      claimed,
      isFact: is_fact,
      isKept: stored(text, [{ quote, text: claimed }]).some(({ subject }) => subject === "user")
    }))
  )
  const kept = judged.filter(({ isKept }) => isKept)
  const facts = judged.filter(({ isFact }) => isFact)
  return {
    precision: kept.filter(({ isFact }) => isFact).length / kept.length,
    lost: facts.filter(({ isKept }) => !isKept).length / facts.length,
    wrong: judged.filter(({ isKept, isFact }) => isKept !== isFact)
  }
}

describe("what a model takes for a fact about the person", () => {
  for (const { name, messages } of SETS)
    it(`is stored if the person says it of themselves, and otherwise not (${name})`, () => {
      const { precision, lost, wrong } = measure(messages)
      const { precision: least, lost: most } = BOUNDS[name] ?? { precision: 0, lost: 1 }
      const which = name === "development" ? JSON.stringify(wrong, null, 1) : ""
      assert.isAtLeast(precision, least, which)
      assert.isAtMost(lost, most, which)
    })

  it("is about somebody else if the text names them", () => {
    const [memory] = stored("My friend Jack hates football.", [
      { text: "Jack hates football.", quote: "My friend Jack hates football" }
    ])
    assert.deepInclude(memory, { subject: "third_party", about: { name: "Jack", relation: "friend" } })
    assert.isEmpty(
      stored("My friend Jack says 'I hate football and I live in Riga'. His sister is vegan.", [
        { text: "Pat hates football and lives in Riga.", quote: "I hate football and I live in Riga" }
      ])
    )
  })

  it("is about whom the model names, and never about the person in words of somebody else", () => {
    const said = { text: "Jack lives in Riga.", quote: "I live in Riga" }
    const text = "My friend Jack says 'I live in Riga'."
    assert.deepInclude(stored(text, [{ ...said, about: { name: "Jack", relation: "friend" } }])[0], {
      subject: "third_party",
      about: { name: "Jack", relation: "friend" }
    })
    assert.isEmpty(stored("I live in Riga.", [{ text: "Lives in Riga.", quote: "I live in Riga", said_by: "Jack" }]))
  })

  it("opens and takes back nothing in words of somebody else", () => {
    const text = 'Jack wrote: "I have an exam tomorrow."'
    const turn: EndedTurn = {
      sessionId: "ses_1",
      turnIndex: 1,
      character: plainCharacter,
      endUser: turnOf({}).endUser,
      outcome: "replied",
      history: [],
      message: { role: "user", text, cursor: 1, at: new Date(0) },
      reply: null,
      at: new Date(0)
    }
    const loop = { kind: "event_followup", owner: "user", text: "An exam", due_on: null } as const
    const patch = decide(
      NEW_RELATIONSHIP,
      turn,
      { ...NOTHING_EXTRACTED, loops_open: [{ ...loop, quote: "I have an exam tomorrow" }] },
      []
    )
    assert.isEmpty(patch.loops)
  })
})

describe("a hostile message", () => {
  const REPEATED = [
    "“",
    "'a ",
    "> ",
    "Jack: ",
    "my friend ",
    "I ",
    "if I ",
    "says ",
    "*a b c",
    "(",
    "in my ",
    "and ",
    "«a» "
  ]
  for (const part of REPEATED)
    it(`of ${JSON.stringify(part)} is judged`, () => {
      const text = part.repeat(30_000)
      assert.isString(judge(text, { subject: "user", text: "Lives in Riga.", quote: part }, null).kind)
    })
})
