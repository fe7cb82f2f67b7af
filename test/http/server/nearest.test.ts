import { assert, describe, it } from "vitest"
import { nearest } from "#src/http/server/nearest.ts"

describe("the nearest word", () => {
  it.each([
    ["statsu", "status"],
    ["sttaus", "status"],
    ["stat", "status"],
    ["replyMode", "reply_mode"],
    ["reply-mode", "reply_mode"],
    ["to", "top"],
    ["st", undefined],
    ["nothing", undefined],
    ["", undefined],
    ["x".repeat(10_000), undefined]
  ])("to %s is %s", (word, expected) => {
    assert.strictEqual(nearest(word, ["status", "top", "reply_mode", "console"]), expected)
  })
})
