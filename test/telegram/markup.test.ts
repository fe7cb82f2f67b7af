import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readMarks, splitMarked } from "#channels/telegram/markup.ts"
import { render } from "#channels/telegram/render.ts"

const plain = (text: string) => ({ text, entities: [] })

describe("the markup of a text", () => {
  it("becomes entities in UTF-16 units, and the asterisks are removed", () => {
    assert.deepStrictEqual(readMarks("😀 *sets the pot down* and **now**"), {
      text: "😀 sets the pot down and now",
      entities: [
        { type: "italic", offset: 3, length: 17 },
        { type: "bold", offset: 25, length: 3 }
      ]
    })
  })

  it.each(["2 * 3 * 4", "a * b", "*", "**", "* item\n* item", "it's 5*", "*not\nover lines*"])(
    "keeps asterisks that mark nothing: %s",
    (text) => {
      assert.deepStrictEqual(readMarks(text), plain(text))
    }
  )
})

describe("a long text", () => {
  it("is split into messages of at most 4,096 UTF-16 units, at a good place", () => {
    const paragraph = `${"word ".repeat(500).trim()}.`
    const pieces = splitMarked(plain([paragraph, paragraph, paragraph].join("\n\n")))
    assert.deepStrictEqual(
      pieces.map(({ text }) => text),
      [paragraph, paragraph, paragraph]
    )
  })

  it("is never cut inside an emoji, not even at the very edge", () => {
    for (const before of [4094, 4095, 4096]) {
      const pieces = splitMarked(plain(`${"x".repeat(before)}😀👩‍👩‍👧tail`))
      for (const { text } of pieces) {
        assert.isAtMost(text.length, 4096)
        assert.isTrue(text.isWellFormed())
      }
      assert.strictEqual(pieces.map(({ text }) => text).join(""), `${"x".repeat(before)}😀👩‍👩‍👧tail`)
    }
  })

  it("keeps its formatting across the cut", () => {
    const pieces = splitMarked(readMarks(`${"a ".repeat(2040)}*${"b ".repeat(40).trim()}*`))
    assert.lengthOf(pieces, 2)
    assert.deepStrictEqual(
      pieces.map(({ text, entities }) =>
        entities.map(({ offset, length }) => text.slice(offset, offset + length).replaceAll(/[b ]/g, ""))
      ),
      [[""], [""]]
    )
  })

  it("loses only white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const pieces = splitMarked(plain(text), 20)
        assert.isTrue(pieces.every((piece) => piece.text.length <= 20 && piece.text.trim() !== ""))
        assert.strictEqual(
          pieces
            .map((piece) => piece.text)
            .join("")
            .replaceAll(/\s/g, ""),
          text.replaceAll(/\s/g, "")
        )
      })
    )
  })

  it("that is blank is no message", () => {
    assert.deepStrictEqual(splitMarked(plain(" \n ")), [])
  })
})

describe("an event in a chat", () => {
  const event = (role: string, payload: object) => JSON.stringify({ role, payload })

  it("is one message per bubble", () => {
    assert.deepStrictEqual(
      render("message.created", event("character", { bubbles: ["One.", "Two."] })).map(
        (message) => message.kind === "text" && message.text
      ),
      ["One.", "Two."]
    )
  })
  it.each([
    ["message.created", event("user", { bubbles: ["hello"] })],
    ["run.status", event("character", { status: "generating" })],
    ["image.ready", event("character", { image_request_id: "img_1", servable: false })],
    ["message.created", "{}"],
    ["relationship_score.changed", event("system", {})]
  ])("is nothing: %s %s", (type, text) => {
    assert.deepStrictEqual(render(type, text), [])
  })
  it("is a picture with its caption, or text where pictures are not accepted", () => {
    assert.deepStrictEqual(
      render(
        "image.ready",
        event("character", {
          image_request_id: "img_1",
          servable: true,
          caption: "Me.",
          visible_description: "a kitchen"
        })
      ),
      [{ kind: "photo", imageId: "img_1", caption: "Me.", alternative: "Me." }]
    )
  })
})
