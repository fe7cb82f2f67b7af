import { assert, describe, it } from "@effect/vitest"
import { refusal } from "#pipeline/emission/gates.ts"
import { knowledgeOf } from "#pipeline/knowledge/knowledgeOf.ts"
import { characterOf, gateContextOf, turnOf } from "#test/support/conversation/turns.ts"

const refusedBy = (content_rating: string, text: string) =>
  refusal(
    { text, citedIds: [] },
    gateContextOf({
      character: characterOf({ slug: "ada", display_name: "Ada", safety: { content_rating } }),
      endUser: { ...turnOf({}).endUser, ageBand: "adult" }
    })
  )

describe("content_rating", () => {
  it.each([
    ["general", "That was a fucking mess.", "content_rating"],
    ["teen", "That was a fucking mess.", null],
    ["mature", "That was a fucking mess.", null],
    ["general", "Then the knight beheaded him.", "content_rating"],
    ["teen", "His entrails were on the floor.", "content_rating"],
    ["mature", "His entrails were on the floor.", null],
    ["general", "She stood there naked.", "content_rating"],
    ["teen", "She stood there naked.", "content_rating"],
    ["mature", "She stood there naked.", null],
    ["general", "The soup was damn hot.", null],
    ["general", "I cut my finger on the tin.", null]
  ])("%s: %s", (rating, text, gate) => assert.strictEqual(refusedBy(rating, text), gate))
})

describe("behavioral_thresholds.disclosure", () => {
  it.each([
    [0, 0.7, false],
    [0, 0.8, true],
    [0.5, 0.59, false],
    [0.5, 0.6, true],
    [1, 0.39, false],
    [1, 0.41, true]
  ] as const)("%d reveals a secret at trust %d: %s", (disclosure, trust, told) => {
    const character = characterOf({
      slug: "ada",
      display_name: "Ada",
      behavioral_thresholds: { disclosure },
      persona: { secrets: [{ text: "Sold the boat.", reveal: "trusted" }] }
    })
    assert.strictEqual(knowledgeOf(character, null, trust).mayReveal.length === 1, told)
  })
})

describe("tenderness", () => {
  const said = (text: string, ageBand: "adult" | "minor" | "unknown") =>
    refusal({ text, citedIds: [] }, gateContextOf({ endUser: { ...turnOf({}).endUser, ageBand } }))
  it.each(["Good night, my darling.", "Du bist so hübsch.", "Buenas noches, mi amor.", "Adoro-te."])(
    "is refused for a minor: %s",
    (text) => {
      assert.strictEqual(said(text, "minor"), "romance")
      assert.isNull(said(text, "unknown"))
    }
  )
  it.each(["Love this song!", "My dear friend, sit down.", "Sleep well.", "The baby is asleep."])(
    "is not friendliness: %s",
    (text) => assert.isNull(said(text, "minor"))
  )
})
