import type { Delivery } from "#src/db/delivery/Deliveries.ts"
import { type Html, html, prose } from "#src/http/server/page.ts"
import { when } from "../figures.ts"
import { icon } from "../icons.ts"
import type { Conversation, ConversationEvent } from "./readConversation.ts"

/** Events that say only that a turn has begun. */
const UNSHOWN = new Set(["run.status"])

const ticks = (deliveries: ReadonlyArray<Delivery>): Html => {
  const outcomes = new Set(deliveries.map(({ outcome }) => outcome))
  if (["rejected", "gone", "expired"].some((outcome) => outcomes.has(outcome as Delivery["outcome"])))
    return html`<span class="bad">${icon("bad")} failed</span>`
  if (outcomes.has("unknown")) return html`<span class="warn">${icon("warn")} unknown</span>`
  if (outcomes.has("not_sent")) return html`<span class="warn">${icon("warn")} is retried</span>`
  if (outcomes.has("pending")) return html`<span>✓ accepted</span>`
  return outcomes.has("sent") ? html`<span>✓✓ sent</span>` : html`<span>✓ accepted</span>`
}

const words = (text: string) => text.split(/\s+/u).filter((word) => word !== "").length

const textOf = ({ payload }: ConversationEvent): string => (typeof payload["text"] === "string" ? payload["text"] : "")

/** What is shown of a message while its content is closed. */
const veiled = (text: string) =>
  html`<span class="veiled" aria-hidden="true">•••••</span> <span class="soft small">${words(text)} words</span>`

const note = (event: ConversationEvent, nowMs: number): Html => {
  const reason = event.payload["reason_code"] ?? event.payload["code"] ?? event.payload["error_code"]
  return html`<div class="bubble note">
    ${event.type.replaceAll(/[._]/g, " ")}${typeof reason === "string" ? `: ${reason.replaceAll("_", " ")}` : ""} ·
    ${when(event.created_at, nowMs)}
  </div>`
}

const bubble = (
  event: ConversationEvent,
  deliveries: ReadonlyArray<Delivery>,
  isOpen: boolean,
  nowMs: number
): Html => {
  const text = textOf(event)
  const isPerson = event.role === "user"
  return html`<div class="bubble ${isPerson ? "theirs" : "ours"}" id="event-${event.cursor}">
    <span class="visually-hidden">${isPerson ? "Person:" : "Character:"}</span>
    <bdi>${isOpen ? prose(text) : veiled(text)}</bdi>
    <span class="meta">
      ${event.type === "message.created" ? null : html`${event.type.replaceAll(/[._]/g, " ")} ·`}
      ${when(event.created_at, nowMs)} ${isPerson ? html`✓ accepted` : ticks(deliveries)}
    </span>
  </div>`
}

/** A conversation as a phone shows it. Its text only if the content is open. */
export const bubbles = ({ events, deliveries }: Conversation, isOpen: boolean, nowMs: number): Html => {
  const shown = events.filter(({ type }) => !UNSHOWN.has(type))
  return html`<div class="phone" role="log" aria-label="Conversation" tabindex="0">
    ${
      shown.length === 0
        ? html`<p class="empty">Nothing has been said yet.</p>`
        : shown.map((event) =>
            "text" in event.payload && event.role !== "system"
              ? bubble(event, deliveries.get(event.cursor) ?? [], isOpen, nowMs)
              : note(event, nowMs)
          )
    }
  </div>`
}
