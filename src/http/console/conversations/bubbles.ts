import { authorName, type Referred, referredIn, withAllWords } from "#pipeline/domain/referred.ts"
import type { Delivery } from "#src/db/delivery/Deliveries.ts"
import { type Html, html, prose } from "#src/http/server/page.ts"
import { DELIVERIES_PATH } from "../deliveries/attemptQuery.ts"
import { counted, duration, when } from "../figures.ts"
import { icon } from "../icons.ts"
import type { Conversation, ConversationEvent } from "./readConversation.ts"

/** Events that say only that a turn has begun. */
const UNSHOWN = new Set(["run.status"])

/** Events that a turn appends, unless they come from one of the sources below. */
const OF_TURNS = new Set(["message.created", "message.failed", "character.initiated", "session.exited"])
const WITHOUT_TURN = new Set(["greeting", "history", "system"])

/** Outcomes from the worst to the best. The worst one of an event is shown. */
const TICKS: ReadonlyArray<readonly [Delivery["outcome"], Html]> = [
  ["rejected", html`<span class="bad">${icon("bad")} failed</span>`],
  ["gone", html`<span class="bad">${icon("bad")} failed</span>`],
  ["expired", html`<span class="bad">${icon("bad")} failed</span>`],
  ["unknown", html`<span class="warn">${icon("warn")} unknown</span>`],
  ["not_sent", html`<span class="warn">${icon("warn")} is retried</span>`],
  ["pending", html`<span>✓ accepted</span>`],
  ["sent", html`<span>✓✓ sent</span>`]
]

/** Why a delivery has not arrived, and when it is tried again. */
const why = (
  { outcome, last_status_code: status, last_error_code: error, next_attempt_at: next }: Delivery,
  at: number
) =>
  outcome === "sent" || outcome === "pending"
    ? null
    : html`<bdi>${[status, error].filter((part) => part !== null).join(" ")}</bdi>${
        next === null ? null : html` · next attempt ${when(next, at)}`
      }`

/** How long it took until every channel had accepted an event. */
const took = (createdAt: string, deliveries: ReadonlyArray<Delivery>): Html | null => {
  const last = Math.max(...deliveries.map(({ delivered_at }) => delivered_at?.getTime() ?? Number.NaN))
  return Number.isNaN(last) ? null : html`after ${duration(Math.max(0, last - Date.parse(createdAt)))}`
}

/** What became of an event. For operators, it leads to the attempts. */
const ticks = (
  { id, created_at }: ConversationEvent,
  deliveries: ReadonlyArray<Delivery>,
  { reader, nowMs }: Shown
): Html => {
  for (const [outcome, shown] of TICKS) {
    const delivery = deliveries.find((candidate) => candidate.outcome === outcome)
    if (delivery === undefined) continue
    return reader === "person"
      ? shown
      : html`<a href="${DELIVERIES_PATH}?event=${id}&amp;state=any">${shown}</a>
          ${outcome === "sent" ? took(created_at, deliveries) : why(delivery, nowMs)}`
  }
  return html`<span>✓ accepted</span>`
}

const words = (text: string) => text.split(/\s+/u).filter((word) => word !== "").length

const textOf = ({ payload }: ConversationEvent): string => (typeof payload["text"] === "string" ? payload["text"] : "")

/** What a message quotes or forwards. */
const referredBlock = ({ type, by, author, text }: Referred): Html =>
  html`<blockquote>
    <span class="soft small">
      ${type === "quote" ? "Quotes" : "Forwarded from"} <bdi>${authorName({ by, author })}</bdi>
    </span>
    <bdi class="said">${prose(text)}</bdi>
  </blockquote>`

/** What is shown of a message while its content is closed. */
const veiled = (text: string) =>
  html`<span class="veiled" aria-hidden="true">•••••</span>
    <span class="soft small">${counted(words(text), "word")}</span>`

/** The way to how the turn of an event went. Null: it belongs to none. */
const turnLink = ({ type, trace_id, source_ref }: ConversationEvent, { turnOf }: Shown): Html | null => {
  if (turnOf === undefined || !OF_TURNS.has(type) || WITHOUT_TURN.has(source_ref.kind)) return null
  const { url, name } = turnOf(trace_id)
  return html`<a href="${url}">${name}</a>`
}

const note = (event: ConversationEvent, options: Shown): Html => {
  const { reason_code, reason: failure, code, error_code, kind } = event.payload
  const reason = reason_code ?? failure ?? code ?? error_code ?? (event.type === "channel.notice" ? kind : undefined)
  return html`<div class="bubble note">
    ${event.type.replaceAll(/[._]/g, " ")}${typeof reason === "string" ? `: ${reason.replaceAll("_", " ")}` : ""} ·
    ${when(event.created_at, options.nowMs)} ${turnLink(event, options)}
  </div>`
}

/** How a conversation is shown: its text only if it is open; and on the right, what the reader wrote. */
export interface Shown {
  readonly isOpen: boolean
  /** Whose phone it is. By default that of the service, so the character is on the right. */
  readonly reader?: "service" | "person"
  readonly nowMs: number
  /** Where it is shown how a turn went, by its `run_ref`. */
  readonly turnOf?: (runRef: string) => { readonly url: string; readonly name: string }
  /** What stands below the last message. */
  readonly below?: Html
}

const bubble = (event: ConversationEvent, deliveries: ReadonlyArray<Delivery>, options: Shown): Html => {
  const { isOpen, reader = "service", nowMs } = options
  const text = textOf(event)
  const referred = referredIn(event.payload)
  const isPerson = event.role === "user"
  const isOurs = isPerson === (reader === "person")
  return html`<div class="bubble ${isOurs ? "ours" : "theirs"}" id="event-${event.cursor}">
    <span class="visually-hidden">${isPerson ? "Person:" : "Character:"}</span>
    ${
      isOpen
        ? html`${referred.map(referredBlock)}<bdi class="said">${prose(text)}</bdi>`
        : html`<bdi>${veiled(withAllWords({ text, referred }))}</bdi>`
    }
    <span class="meta">
      ${event.type === "message.created" ? null : html`${event.type.replaceAll(/[._]/g, " ")} ·`}
      ${when(event.created_at, nowMs)} ${turnLink(event, options)}
      ${isPerson ? html`✓ accepted` : ticks(event, deliveries, options)}
    </span>
  </div>`
}

/** A conversation as a phone shows it. */
export const bubbles = ({ events, deliveries }: Conversation, options: Shown): Html => {
  const shown = events.filter(({ type }) => !UNSHOWN.has(type))
  return html`<div class="phone" role="log" aria-label="Conversation" tabindex="0">
    ${
      shown.length === 0
        ? html`<p class="empty">Nothing has been said yet.</p>`
        : shown.map((event) =>
            "text" in event.payload && event.role !== "system"
              ? bubble(event, deliveries.get(event.cursor) ?? [], options)
              : note(event, options)
          )
    }
    ${options.below ?? null}
  </div>`
}
