import { assert, describe, it } from "vitest"
import { readSillyTavernChat } from "#src/imports/sillyTavernChat.ts"

const NOW = Date.parse("2026-01-01T00:00:00Z")
const lines = (...rows: ReadonlyArray<object | string>) =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n")
const HEAD = {
  user_name: "Robin",
  character_name: "Mara",
  create_date: "2023-6-5 @16h 12m 30s 123ms",
  chat_metadata: {}
}

describe("a chat of SillyTavern", () => {
  it("is read in order, with who said what and when, in all its forms of time", () => {
    const { messages, skipped } = readSillyTavernChat(
      lines(
        HEAD,
        { name: "Mara", is_user: false, mes: "Hello {{user}}.", send_date: "June 5, 2023 4:12pm" },
        { name: "Robin", is_user: true, mes: "hi", send_date: "2023-6-5 @16h 13m 30s 123ms" },
        { name: "Mara", is_user: false, mes: "Well?", send_date: 1_686_000_000_000 },
        { name: "Robin", is_user: true, mes: "well", send_date: "2023-06-06T08:00:00.000Z" }
      ),
      NOW
    )
    assert.deepStrictEqual(messages, [
      { role: "character", text: "Hello Robin.", at: "2023-06-05T16:12:00.000Z" },
      { role: "user", text: "hi", at: "2023-06-05T16:13:30.000Z" },
      { role: "character", text: "Well?", at: "2023-06-05T21:20:00.000Z" },
      { role: "user", text: "well", at: "2023-06-06T08:00:00.000Z" }
    ])
    assert.strictEqual(skipped, 0)
  })

  it("is read without hidden and empty messages, and without lines that are not JSON", () => {
    const { messages, skipped } = readSillyTavernChat(
      lines(
        HEAD,
        { mes: "note", is_system: true },
        "{broken",
        { mes: "  ", is_user: true },
        { mes: "hi", is_user: true }
      ),
      NOW
    )
    assert.deepStrictEqual(
      messages.map(({ text }) => text),
      ["hi"]
    )
    assert.strictEqual(skipped, 3)
  })

  it("has times that never run backwards, and none in the future", () => {
    const { messages } = readSillyTavernChat(
      lines(
        HEAD,
        { mes: "one", is_user: true, send_date: "June 5, 2023 4:12pm" },
        { mes: "two", send_date: "June 4, 2023 4:12pm" },
        { mes: "three", is_user: true },
        { mes: "four", send_date: "June 5, 2999 4:12pm" }
      ),
      NOW
    )
    const times = messages.map(({ at }) => at)
    assert.deepStrictEqual(times, times.toSorted())
    assert.isTrue(times.every((at) => Date.parse(at) <= NOW))
  })

  it("may have no first line with names", () => {
    const { messages } = readSillyTavernChat(lines({ mes: "Hello {{user}}." }, { mes: "hi", is_user: true }), NOW)
    assert.deepStrictEqual(
      messages.map(({ role, text }) => [role, text]),
      [
        ["character", "Hello {{user}}."],
        ["user", "hi"]
      ]
    )
  })
})
