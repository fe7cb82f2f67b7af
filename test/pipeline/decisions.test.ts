import { assert, describe, it } from "@effect/vitest"
import { decisionsOpen, type Situation, userEffort } from "#pipeline/generation/decisions.ts"
import { SAFE } from "#pipeline/safety/judge.ts"
import { plainGrounding } from "#test/support/conversation/requests.ts"
import { characterOf, historyOf, turnOf } from "#test/support/conversation/turns.ts"

const chat = historyOf("hello", "Hello.", "fine weather", "It is.")
const situation = (
  text: string,
  thresholds: object,
  given: Partial<Situation> & { readonly turnIndex?: number; readonly sessionId?: string } = {}
): Situation => ({
  turn: turnOf({
    text,
    turnIndex: given.turnIndex ?? 3,
    sessionId: given.sessionId ?? "ses_1",
    character: characterOf({ slug: "ada", display_name: "Ada", behavioral_thresholds: thresholds })
  }),
  history: chat,
  grounding: plainGrounding,
  safety: SAFE,
  recorded: { boundaries: 0, crisis: false },
  ...given
})
const mayWithhold = (...args: Parameters<typeof situation>) => decisionsOpen(situation(...args)).includes("withhold")
const mayExit = (...args: Parameters<typeof situation>) => decisionsOpen(situation(...args)).includes("exit")
const eager = { withhold: 1 }

describe("silence", () => {
  it("is off unless the author sets a threshold", () => {
    assert.isFalse(mayWithhold("ok", {}))
    assert.isFalse(mayWithhold("ok", { withhold: 0 }))
    assert.isTrue(mayWithhold("ok", eager))
  })

  it("is never the reply to a first message, and never comes twice in a row", () => {
    assert.isFalse(mayWithhold("ok", eager, { history: [] }))
    assert.isFalse(
      mayWithhold("ok", eager, { history: [{ role: "character", text: "Hello.", cursor: 1, at: new Date(0) }] })
    )
    assert.isFalse(mayWithhold("ok", eager, { history: historyOf("hello", "Hello.", "ok") }))
  })

  it.each(["crisis", "soften", "refuse_in_voice"] as const)("is not allowed if safety says %s", (action) =>
    assert.isFalse(mayWithhold("ok", eager, { safety: { ...SAFE, action } }))
  )
  it("is not allowed if the analysis detects a crisis", () =>
    assert.isFalse(mayWithhold("ok", eager, { grounding: { ...plainGrounding, intent: "crisis" } })))

  it.each([
    "am I safe?",
    "help me",
    "should I call a doctor",
    "bin ich hier sicher",
    "hilf mir",
    "ayúdame",
    "are you an AI?",
    "bist du ein Mensch?"
  ])("is not allowed after %j", (text) =>
    assert.isFalse(
      Array.from({ length: 50 }, (_, turnIndex) => mayWithhold(text, eager, { turnIndex: turnIndex + 3 })).some(
        (may) => may
      )
    )
  )

  it.each([
    "I'll tell you tomorrow.",
    "Let me think.",
    "Give me a moment.",
    "Ich sage es dir gleich.",
    "Lass mich überlegen.",
    "Déjame pensar."
  ])("is not allowed after a promise: %j", (promise) =>
    assert.isFalse(mayWithhold("ok", eager, { history: historyOf("hello", promise, "ok", "Mm.") }))
  )
  it("is allowed again when a promise is long past", () =>
    assert.isTrue(
      mayWithhold("ok", eager, { history: historyOf("a", "Let me think.", "b", "B.", "c", "C.", "d", "D.") })
    ))

  it("becomes likelier the less the person wrote, by a draw that is the same for the same turn", () => {
    const share = (text: string, withhold: number) =>
      Array.from({ length: 400 }, (_, i) => mayWithhold(text, { withhold }, { sessionId: `ses_${i}` })).filter(
        (may) => may
      ).length / 400
    assert.strictEqual(share("ok", 1), 1)
    assert.approximately(share("ok", 0.3), 0.3, 0.08)
    assert.approximately(share("so how was the boat today?", 1), 0.4, 0.1)
    assert.strictEqual(
      share("I wanted to tell you that my sister called yesterday about our old house by the harbour", 1),
      0
    )
    assert.strictEqual(share("so how was the boat today?", 0.5), share("so how was the boat today?", 0.5))
  })

  it.each([
    ["", 0],
    ["ok", 0],
    ["🙂🙂", 0],
    ["ok ok ok ok", 0],
    ["why?", 0.6],
    ["???", 0],
    ["今日はとても楽しかった、また行きたい", 1]
  ] as const)("rates %j as an effort of %d", (text, effort) => assert.strictEqual(userEffort(text), effort))
})

describe("leaving", () => {
  const crossed = (boundaries: number) => ({ recorded: { boundaries, crisis: false } })

  it("is off unless the author sets a threshold", () => assert.isFalse(mayExit("hm", {}, crossed(9))))
  it("needs two crossed boundaries in ten turns, of which this one may be the second", () => {
    assert.isFalse(mayExit("hm", { exit: 1 }, crossed(0)))
    assert.isFalse(mayExit("hm", { exit: 1 }, crossed(1)))
    assert.isTrue(mayExit("hm", { exit: 0.01 }, crossed(2)))
    assert.isTrue(mayExit("hm", { exit: 1 }, { ...crossed(1), safety: { ...SAFE, boundary: true } }))
    assert.isFalse(mayExit("hm", { exit: 1 }, { ...crossed(0), safety: { ...SAFE, boundary: true } }))
  })
  it("is not allowed in a crisis, and for a day after one", () => {
    assert.isFalse(mayExit("hm", { exit: 1 }, { recorded: { boundaries: 5, crisis: true } }))
    assert.isFalse(mayExit("hm", { exit: 1 }, { ...crossed(5), safety: { ...SAFE, action: "crisis" } }))
  })
  it("is not allowed if only the analysis detects a crisis", () =>
    assert.isFalse(mayExit("hm", { exit: 1 }, { ...crossed(5), grounding: { ...plainGrounding, intent: "crisis" } })))
  it("is never caused by little engagement", () => {
    for (const text of ["", "ok", "k", "lol", "🙂"]) assert.isFalse(mayExit(text, { exit: 1, withhold: 1 }))
  })
})
