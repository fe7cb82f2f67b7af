import { assert, describe, it } from "vitest"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import { contentRefusal } from "#pipeline/proactive/contentGates.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { demoCharacters } from "#src/demo/characters.ts"
import { proactiveReply } from "#src/model/offline/proactiveReply.ts"
import { historyOf } from "#test/support/conversation/turns.ts"
import { requestOf } from "#test/support/conversation/requests.ts"

const cold: ProactiveBrief = { reason: "cold_initiate", about: null, avoid: [], channels: ["event_log"] }
const [edda = {}] = demoCharacters
const written = (proactive: ProactiveBrief, history: ReadonlyArray<Utterance>, turnIndex: number) =>
  proactiveReply(requestOf("", { character: edda, turn: { turnIndex, proactive }, request: { history } }), proactive)

describe("the offline engine, when the character writes first", () => {
  it("asks about what is due, with the author's lines or with its own description", () => {
    const history = historyOf("My exam is on Friday.", "Good luck with it.")
    const said = written({ ...cold, reason: "event_followup", about: "Their exam is on Friday" }, history, 3)
    assert.match(said?.line ?? "", /exam/i)
    assert.deepStrictEqual(said?.cites, ["cursor-1"])
    assert.include(
      written({ ...cold, reason: "open_loop_due", about: "I am moving to Lisbon" }, [], 3)?.line ?? "",
      "ou are moving to Lisbon"
    )
  })

  it("starts differently from its last ten messages and pressures nobody, as long as it has something to say", () => {
    const history: Array<Utterance> = []
    const opener = (text: string) => terms(text).slice(0, 3).join(" ")
    for (let turn = 1; turn <= 40; turn++) {
      const said = written(cold, history, turn)
      if (said === null) continue
      assert.notInclude(
        history.slice(-10).map(({ text }) => opener(text)),
        opener(said.line)
      )
      assert.isNull(contentRefusal(said.line))
      history.push({ role: "character", text: said.line, cursor: turn, at: new Date(0) })
    }
    assert.isAbove(history.length, 35)
  })

  it("prefers topics that the person likes", () => {
    const lines = new Set(Array.from({ length: 12 }, (_, turn) => written(cold, [], turn + 1)?.line ?? ""))
    const topic = terms([...lines].at(-1) ?? "").findLast((word) => word.length > 5) ?? ""
    for (let turn = 1; turn <= 12; turn++) {
      assert.include(terms(written({ ...cold, welcome: [topic] }, [], turn)?.line ?? ""), topic)
    }
  })

  it("writes something else after a refusal, and avoids topics that the person does not want", () => {
    const first = proactiveReply(requestOf("", { character: edda, turn: { proactive: cold } }), cold)
    const second = proactiveReply(
      requestOf("", { character: edda, turn: { proactive: cold }, request: { refusedBy: "repetition" } }),
      cold
    )
    assert.notStrictEqual(first?.line, second?.line)
    const topic = terms(first?.line ?? "").find((word) => word.length > 4) ?? ""
    assert.notInclude(
      terms(
        proactiveReply(requestOf("", { character: edda, turn: { proactive: cold } }), { ...cold, avoid: [topic] })
          ?.line ?? ""
      ),
      topic
    )
  })
})
