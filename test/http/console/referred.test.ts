import { assert, describe, it } from "vitest"
import { bubbles } from "#src/http/console/conversations/bubbles.ts"
import { transcriptOf } from "#src/http/mcp/transcript.ts"

const event = {
  id: "evt_1",
  cursor: 1,
  type: "message.created",
  role: "user" as const,
  trace_id: "run_1",
  created_at: "2026-01-01T10:00:00.000Z",
  source_ref: { kind: "telegram" },
  payload: {
    text: "is he right?",
    bubbles: ["is he right?"],
    parts: [
      { type: "quote", text: "<b>No salt.</b>\nNever.", by: "other", author: "Bo" },
      { type: "forward", text: "Rain all week.", by: "other" },
      { type: "text", text: "is he right?" }
    ]
  }
}
const shown = (isOpen: boolean) =>
  bubbles({ events: [event], deliveries: new Map(), earlier: null }, { isOpen, nowMs: Date.parse(event.created_at) })
    .text

describe("what a message quotes and forwards", () => {
  it("is shown in a bubble of the console apart from what the person says", () => {
    const text = shown(true).replaceAll(/\s+/g, " ")
    assert.match(text, /<blockquote>.*Quotes <bdi>Bo<\/bdi>.*&lt;b&gt;No salt\.&lt;\/b&gt; Never\..*<\/blockquote>/)
    assert.match(text, /Forwarded from <bdi>somebody<\/bdi>.*Rain all week\..*is he right\?/)
  })
  it("is veiled with the rest as long as the conversation is closed", () => {
    assert.notMatch(shown(false), /salt|Bo|Rain|right/)
    assert.include(shown(false), "9 words")
  })
  it("is a quotation in a transcript", async () => {
    const data = { last_cursor: 1, character_slug: "mara", events: [event], next_cursor: 1, has_more: false }
    const transcript = await transcriptOf(
      async () => ({ ok: true, data: data as never }),
      "ses_1",
      new AbortController().signal
    )
    assert.include(
      transcript.ok ? transcript.data : "",
      "> Quotes Bo:\n> <b>No salt.</b>\n> Never.\n\n> Forwards somebody:\n> Rain all week.\n\nis he right?"
    )
  })
})
