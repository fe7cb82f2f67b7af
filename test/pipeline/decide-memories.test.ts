import { assert, describe, it } from "vitest"
import { decide } from "#pipeline/relational/decide.ts"
import { type Extraction, NOTHING_EXTRACTED } from "#pipeline/relational/Extraction.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { apply } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import { plainCharacter, turnOf } from "#test/support/conversation/turns.ts"

const turnAt = (turnIndex: number, text: string): EndedTurn => ({
  sessionId: "ses_1",
  turnIndex,
  character: plainCharacter,
  endUser: turnOf({}).endUser,
  outcome: "replied",
  history: [],
  message: { role: "user", text, cursor: turnIndex * 2 - 1, at: new Date(turnIndex * 60_000) },
  reply: null,
  at: new Date(turnIndex * 60_000)
})
const read = (
  known: Relationship,
  turn: EndedTurn,
  extraction: Partial<Extraction> = extractByRules({ turn, known })
): Relationship =>
  apply(known, decide(known, turn, { ...NOTHING_EXTRACTED, ...extraction }, []), turn.at.toISOString(), turn.turnIndex)
const only = (known: Relationship) => [...known.memories.values()][0]!

const told = read(NEW_RELATIONSHIP, turnAt(1, "My sister Nadia plays the cello"))

describe("a retraction", () => {
  const forget = (
    text: string,
    quote: string,
    reason: "user_asked_to_forget" | "user_corrected" | "expired" = "user_asked_to_forget"
  ) => only(read(told, turnAt(2, text), { invalidate: [{ memory_id: only(told).id, reason, quote }] })).status

  it("is accepted if the person retracted it, in words that are in their message", () => {
    assert.strictEqual(forget("please forget about my sister", "forget about my sister"), "forgotten")
    assert.strictEqual(forget("she sold the cello", "she sold the cello", "user_corrected"), "superseded")
  })

  it("is rejected if only a model claims it", () => {
    assert.strictEqual(forget("nice weather", "forget about my sister"), "active")
    assert.strictEqual(forget("nice weather", ""), "active")
    assert.strictEqual(forget("nice weather", "I have no sister", "user_corrected"), "active")
  })

  it("may follow from time alone", () => assert.strictEqual(forget("nice weather", "", "expired"), "superseded"))

  it("is also detected by the rules", () => {
    assert.strictEqual(
      only(read(told, turnAt(2, "please forget what I said about my sister Nadia"))).status,
      "forgotten"
    )
  })
})

describe("a repeated statement", () => {
  const often = Array.from({ length: 9 }, (_, n) => n + 2).reduce(
    (known, turn) => read(known, turnAt(turn, `My sister Nadia plays the cello${".".repeat(turn)}`)),
    told
  )

  it("keeps its latest words, and all places", () => {
    const { evidence } = only(often)
    assert.deepStrictEqual(
      evidence.map(({ cursor }) => cursor),
      Array.from({ length: 10 }, (_, n) => 2 * n + 1)
    )
    assert.strictEqual(evidence.filter(({ quote }) => quote !== "").length, 4)
  })

  it("is forgotten in all places", () => {
    const gone = only(read(often, turnAt(20, "please forget about my sister Nadia")))
    assert.strictEqual(gone.status, "forgotten")
    assert.lengthOf(gone.evidence, 10)
  })
})
