import type {
  Event,
  Message,
  MessageCreatedEvent,
  MessageFailedEvent,
  SessionExitedEvent
} from "./generated/types.gen.ts"
import { isApiError, TimeoutError } from "./errors.ts"
import type { RequestOptions, Transport } from "./transport.ts"

/** How a turn ended. `events`: everything that it wrote, in order. */
export type TurnOutcome = {
  readonly runRef: string
  readonly cursor: number
  readonly events: ReadonlyArray<Event>
} & (
  | { readonly outcome: "replied"; readonly bubbles: ReadonlyArray<string>; readonly text: string }
  /** The character chose not to answer. */
  | { readonly outcome: "withheld" }
  /** The character has left, perhaps with last words. The session takes no more messages. */
  | {
      readonly outcome: "exited"
      readonly reason: string
      readonly bubbles: ReadonlyArray<string>
      readonly text: string
    }
  /** The message is recorded. Where it is recoverable, say it again. */
  | { readonly outcome: "failed"; readonly reason: string; readonly recoverable: boolean }
)

export interface SayOptions extends Omit<RequestOptions, "timeoutMs"> {
  /** How long to wait for the end of the turn, in milliseconds. Default: 180,000. */
  readonly timeoutMs?: number
  readonly replyMode?: Message["reply_mode"]
}

const LONGEST_WAIT_SECONDS = 30
const DEFAULT_TIMEOUT_MS = 180_000

interface Accepted {
  readonly data: { readonly cursor: number; readonly run_ref: string }
}
interface TurnPage {
  readonly data: {
    readonly events: ReadonlyArray<Event>
    readonly next_cursor: number
    readonly has_more: boolean
    readonly turn?: { readonly outcome: TurnOutcome["outcome"] | null }
  }
}

const isReply = (event: Event): event is Event & MessageCreatedEvent =>
  event.type === "message.created" && event.role === "character"
const isFailure = (event: Event): event is Event & MessageFailedEvent => event.type === "message.failed"
const isExit = (event: Event): event is Event & SessionExitedEvent => event.type === "session.exited"

/** What the events say of the end of their turn, where the server does not say it itself. Silence says nothing. */
const seenIn = (events: ReadonlyArray<Event>): TurnOutcome["outcome"] | null =>
  events.some(isExit) ? "exited" : events.some(isFailure) ? "failed" : events.some(isReply) ? "replied" : null

const endOf = (
  outcome: TurnOutcome["outcome"],
  base: { readonly runRef: string; readonly cursor: number; readonly events: ReadonlyArray<Event> }
): TurnOutcome => {
  const replies = base.events.filter(isReply)
  const said = {
    bubbles: replies.flatMap(({ payload }) => payload.bubbles),
    text: replies.map(({ payload }) => payload.text).join("\n")
  }
  switch (outcome) {
    case "replied":
      return { ...base, outcome, ...said }
    case "withheld":
      return { ...base, outcome }
    case "exited":
      return { ...base, outcome, reason: base.events.find(isExit)?.payload.reason_code ?? "", ...said }
    case "failed": {
      const payload = base.events.find(isFailure)?.payload
      return { ...base, outcome, reason: payload?.reason ?? "", recoverable: payload?.recoverable ?? false }
    }
  }
}

/** The server has lost the message or its turn: in a failover, or because it was restored from a backup. */
const isLost = (error: unknown): boolean => isApiError(error, "cursor_expired", "turn_not_found")

/**
 * Sends a message once, and waits until its turn has ended. If the server loses it in the meantime, the message is sent
 * again under the same key.
 */
export const say = async (
  transport: Transport,
  sessionId: string,
  text: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, replyMode, ...options }: SayOptions = {}
): Promise<TurnOutcome> => {
  const session = `/v1/sessions/${encodeURIComponent(sessionId)}`
  const deadline = Date.now() + timeoutMs
  const body: Message = { text, ...(replyMode !== undefined && { reply_mode: replyMode }) }
  const { idempotencyKey = crypto.randomUUID(), ...reading } = options
  const send = async () => {
    const call = { method: "POST", path: `${session}/messages`, body, takesKey: true }
    const sent = await transport.send({ ...call, options: { ...reading, idempotencyKey } })
    return (JSON.parse(sent.text) as Accepted).data
  }
  let { cursor: since, run_ref: runRef } = await send()
  let events: Array<Event> = []
  for (;;) {
    const left = deadline - Date.now()
    if (left <= 0) throw new TimeoutError(`the turn ${runRef} did not end within ${timeoutMs} ms`)
    const query = { since, until: `turn:${runRef}`, wait: Math.min(LONGEST_WAIT_SECONDS, Math.ceil(left / 1000)) }
    const lost = runRef
    const answered = await transport
      .send({ method: "GET", path: `${session}/events`, query, options: reading })
      .catch(async (error: unknown) => {
        if (!isLost(error)) throw error
        ;({ cursor: since, run_ref: runRef } = await send())
        events = []
        // The server still knows the message, so sending it once more would change nothing.
        if (runRef === lost) throw error
        return null
      })
    if (answered === null) continue
    const { data } = JSON.parse(answered.text) as TurnPage
    events.push(...data.events.filter((event) => event.trace_id === runRef))
    since = data.next_cursor
    const outcome = data.turn === undefined ? seenIn(events) : data.turn.outcome
    if (outcome !== null && !data.has_more) return endOf(outcome, { runRef, cursor: since, events })
  }
}
