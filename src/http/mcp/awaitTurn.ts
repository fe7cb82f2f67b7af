import { type Api, apiPath, type ApiAnswer } from "./Api.ts"

/** Seconds that one poll waits. The run is looked up after each, because a withheld turn leaves no event. */
const POLL_SECONDS = 5

interface LogEvent {
  readonly cursor: number
  readonly type: string
  readonly role: string
  readonly trace_id: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Turn {
  /** generating: it has not ended yet. */
  readonly outcome: "replied" | "withheld" | "exited" | "failed" | "generating"
  /** The reply's bubbles, in order. */
  readonly bubbles: ReadonlyArray<string>
  /** Why the turn failed or the character left. */
  readonly reason: string | null
  /** Read further events after this cursor. */
  readonly cursor: number
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null)
const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : [])

/** How an event ends the turn. Null: it does not. */
const endOf = ({ type, role, payload, cursor }: LogEvent): Turn | null => {
  if (type === "message.created" && role === "character")
    return { outcome: "replied", bubbles: textsOf(payload["bubbles"]), reason: null, cursor }
  if (type === "message.failed") return { outcome: "failed", bubbles: [], reason: textOf(payload["reason"]), cursor }
  if (type === "session.exited")
    return { outcome: "exited", bubbles: [], reason: textOf(payload["reason_code"]), cursor }
  return null
}

interface Sent {
  readonly sessionId: string
  readonly runRef: string
  readonly cursor: number
}

/** Waits until a turn has ended, or until it has waited long enough. */
export const awaitTurn = async (
  api: Api,
  { sessionId, runRef, cursor }: Sent,
  waitSeconds: number,
  signal: AbortSignal
): Promise<ApiAnswer<Turn>> => {
  const until = Date.now() + waitSeconds * 1000
  let since = cursor
  for (;;) {
    const left = Math.ceil((until - Date.now()) / 1000)
    const read = await api<{ events: ReadonlyArray<LogEvent>; next_cursor: number }>({
      method: "GET",
      path: apiPath`/v1/sessions/${sessionId}/events`,
      query: { since, wait: Math.max(0, Math.min(POLL_SECONDS, left)) },
      signal
    })
    if (!read.ok) return read
    const { events, next_cursor } = read.data
    since = next_cursor
    const end = events.filter(({ trace_id }) => trace_id === runRef).flatMap((event) => endOf(event) ?? [])[0]
    if (end !== undefined) return { ok: true, data: end }
    if (events.length > 0 && left > 0) continue
    const runs = await api<{ runs: ReadonlyArray<{ trace_id: string; status: string }> }>({
      method: "GET",
      path: apiPath`/v1/sessions/${sessionId}/runs`,
      query: { limit: 20 },
      signal
    })
    if (!runs.ok) return runs
    const status = runs.data.runs.find(({ trace_id }) => trace_id === runRef)?.status
    const none = { bubbles: [], reason: null, cursor: since }
    if (status === "withheld") return { ok: true, data: { ...none, outcome: "withheld" } }
    if (left <= 0 || signal.aborted) return { ok: true, data: { ...none, outcome: "generating" } }
  }
}
