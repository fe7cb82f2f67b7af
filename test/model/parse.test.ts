import { assert, describe, it } from "@effect/vitest"
import { parse, salvaged } from "#src/model/openai/parse.ts"
import { PLAIN_REPLY, REPLY } from "#src/model/openai/replyFormats.ts"
import { replyOf } from "#test/support/model/cannedServer.ts"

const HELLO = replyOf("Hello!")
const DRAFT = replyOf("DRAFT")
const bubblesIn = (text: string) => {
  const parsed = parse(text, REPLY)
  return parsed.kind === "answer" ? parsed.value.bubbles : parsed.code
}

describe("the answer in what a model wrote", () => {
  it.each([
    ["after prose with braces", `Sure {smile}! ${HELLO}`],
    ["after a brace without an end", `:{ ${HELLO}`],
    ["after a quoted brace without an end", `{ "smile" ${HELLO}`],
    ["in braces of prose", `{smile ${HELLO} smile}`],
    ["before another object", `${HELLO} Note: {"x":1}`],
    ["before a brace without an end", `${HELLO} :{ see you`],
    ["after its schema", `{"type":"object","properties":{}}\n${HELLO}`],
    ["after a draft", `Draft: ${DRAFT} Final: ${HELLO}`],
    ["after a draft in the same object", `{"draft":${DRAFT},"final":${HELLO}}`],
    ["in a list", `[${HELLO}]`],
    ["in a text", JSON.stringify(HELLO)],
    ["in an object", `{"answer":${HELLO}}`],
    ["in a text in an object", JSON.stringify({ response: HELLO })],
    ["deep in an object", `{"result":{"data":[${HELLO}]}}`],
    ["in a fence with text behind it", `\`\`\`json\n${HELLO}\n\`\`\`\nI hope {that} fits.`],
    ["with a comma too many", '{"decision":"reply","exit_reason":null,"bubbles":["Hello!",],}']
  ])("is found %s", (_, text) => assert.deepStrictEqual(bubblesIn(text), ["Hello!"]))

  it("may have raw line breaks in its texts", () =>
    assert.deepStrictEqual(bubblesIn(replyOf("a, b\n}").replace("\\n", "\n")), ["a, b\n}"]))

  it.each([
    ["breaks off", HELLO.slice(0, -1), "truncated_json"],
    ["breaks off after a draft", `${DRAFT} ${HELLO.slice(0, 40)}`, "truncated_json"],
    ["has another form", '{"x":1}', "schema_mismatch"],
    ["is no JSON", "{smile}", "invalid_json"]
  ] as const)("is none if it %s", (_, text, code) => assert.strictEqual(bubblesIn(text), code))

  it.each(["{", '{"a":', "{}", '{"', "[{", "{a}", "[", '{"a":{', '\\"', '{"a":"', "{{}", '{"a":1}{'])(
    "is looked for in a time that fits its length: %j",
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length)
      for (const each of [text, text + HELLO, HELLO + text, `${text}${"}".repeat(500_000)}`]) {
        assert.isString(parse(each, REPLY).kind)
        assert.isString(parse(each, PLAIN_REPLY).kind)
      }
    }
  )
})

describe("an answer that was cut", () => {
  const cut = (text: string) =>
    salvaged(`{"decision":"reply","exit_reason":null,"bubbles":[${text}`, REPLY)?.bubbles ?? null
  it.each([
    ["the last sentence in it", '"I went down. There I', ["I went down."]],
    ["what stands before its last text", '"One.","Two', ["One."]],
    ["all of its texts", '"One.","Two."', ["One.", "Two."]],
    ["nothing without a sentence", '"There I', null],
    ["nothing without a text", "", null]
  ])("keeps %s", (_, text, kept) => assert.deepStrictEqual(cut(text), kept))
})
