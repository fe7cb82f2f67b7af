import { assert, describe, it } from "vitest"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import type { LoggedCall } from "#test/support/telegram/CallLog.ts"
import { type ChatRecord, judge } from "../../../bench/support/telegramVerdict.ts"
import { runTelegramChaos } from "../../../bench/telegramChaosRun.ts"

it(
  "each of 300 bubbles is sent once and in order, or recorded as unknown, while processes are killed 6 times, " +
    "Telegram misbehaves and a token is revoked",
  async ({ annotate }) => {
    const database = await createTestDatabase()
    try {
      const report = await runTelegramChaos({
        databaseUrl: database.url,
        bots: 4,
        chats: 30,
        bubbles: 270,
        kills: 6,
        processes: 2,
        revocations: 1,
        faults: 9,
        seed: 20_261
      })
      await annotate(JSON.stringify(report))
      const { lost, duplicated, reordered, unexpected, unrecorded, overCeiling, failedTurns, kills, bubbles } = report
      assert.deepStrictEqual(
        { lost, duplicated, reordered, unexpected, unrecorded, overCeiling, failedTurns, kills, bubbles },
        {
          lost: 0,
          duplicated: 0,
          reordered: 0,
          unexpected: 0,
          unrecorded: 0,
          overCeiling: 0,
          failedTurns: 0,
          kills: 6,
          bubbles: 300
        }
      )
      assert.isAbove(report.unknown, 0)
    } finally {
      await database.drop()
    }
  }
)

describe("the checker of the chaos test", () => {
  const call = (text: string, fault: string | undefined): LoggedCall => ({
    method: "sendMessage",
    botId: 1,
    chatId: "1",
    parameters: { text },
    atMs: 0,
    endedAtMs: 0,
    fault,
    answer: fault === undefined ? { ok: true, result: true } : undefined
  })
  const fine: ChatRecord = {
    said: ["hi", "and?"],
    heard: ["hi", "and?"],
    bubbles: ["One.", "Two.", "Three."].map((text) => ({ text, outcomes: ["sent"], greets: text === "One." })),
    shown: ["One.", "Two.", "Three."],
    calls: ["One.", "Two.", "Three."].map((text) => call(text, undefined))
  }
  const found = (change: Partial<ChatRecord>) =>
    Object.fromEntries(Object.entries(judge([fine, { ...fine, ...change }])).filter(([, count]) => count > 0))

  it("finds nothing if everything is correct", () => {
    assert.deepStrictEqual(found({}), {})
  })
  it("finds bubbles that are lost, repeated, out of order, unexpected or without a recorded outcome", () => {
    assert.deepStrictEqual(found({ shown: ["One.", "Three."] }), { lost: 1 })
    assert.deepStrictEqual(found({ heard: ["hi"] }), { lost: 1 })
    assert.deepStrictEqual(found({ shown: ["One.", "One.", "Two.", "Three."] }), { duplicated: 1 })
    assert.deepStrictEqual(found({ heard: ["hi", "hi", "and?"] }), { duplicated: 1 })
    assert.deepStrictEqual(found({ shown: ["Two.", "One.", "Three."] }), { reordered: 1 })
    assert.deepStrictEqual(found({ heard: ["and?", "hi"] }), { reordered: 1 })
    assert.deepStrictEqual(found({ shown: [...fine.shown, "Four."] }), { unexpected: 1 })
    assert.deepStrictEqual(found({ calls: [...fine.calls, call("Two.", "drop_after")] }), { unrecorded: 1 })
    assert.deepStrictEqual(found({ calls: [...fine.calls, call("Two.", undefined)] }), { unrecorded: 1 })
  })
  it("does not report a gap as a loss, or a marked copy as a repeat, if they are recorded as unknown", () => {
    const bubbles = fine.bubbles.map(({ text, outcomes, greets }) => ({
      text,
      outcomes: text === "Two." ? ["unknown", "sent"] : outcomes,
      greets
    }))
    assert.deepStrictEqual(found({ bubbles, shown: ["One.", "Three."] }), { unknown: 1, gaps: 1 })
    assert.deepStrictEqual(found({ bubbles, shown: ["One.", "Two.", "↻ Two.", "Three."] }), {
      unknown: 1,
      markedCopies: 1
    })
  })
  it("counts a greeting that was sent again once, if it is recorded as unknown, apart from repeats", () => {
    const shown = ["One.", "One.", "Two.", "Three."]
    const bubbles = fine.bubbles.map(({ text, outcomes, greets }) => ({
      text,
      outcomes: greets ? ["unknown", "sent"] : outcomes,
      greets
    }))
    assert.deepStrictEqual(found({ bubbles, shown }), { unknown: 1, greetedTwice: 1 })
    assert.deepStrictEqual(found({ bubbles, shown: ["One.", ...shown] }), { duplicated: 2, unknown: 1 })
  })
})
