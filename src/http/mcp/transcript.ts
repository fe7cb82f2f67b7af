import { authorName, type Referred, referredIn } from "#pipeline/domain/referred.ts"
import { type Api, type ApiAnswer, apiPath } from "./Api.ts"

/** How many events a transcript is made of at most, and how many are read at once. */
const MOST_EVENTS = 1000
const PAGE = 200

interface LogEvent {
  readonly type: string
  readonly role: string
  readonly created_at: string
  readonly payload: Readonly<Record<string, unknown>>
}

const bubblesOf = ({ bubbles }: LogEvent["payload"]): ReadonlyArray<string> =>
  Array.isArray(bubbles) ? bubbles.filter((bubble) => typeof bubble === "string") : []

/** What a message quotes or forwards, as a Markdown quotation. */
const quoted = ({ type, by, author, text }: Referred): string =>
  [`${type === "quote" ? "Quotes" : "Forwards"} ${authorName({ by, author })}:`, ...text.split("\n")]
    .map((words) => `> ${words}`)
    .join("\n")

const line = ({ type, role, created_at, payload }: LogEvent): ReadonlyArray<string> => {
  const who = role === "user" ? "Person" : "Character"
  if (type === "message.created" || type === "character.initiated")
    return [`**${who}** (${created_at})`, ...referredIn(payload).map(quoted), ...bubblesOf(payload)]
  if (type === "message.failed") return [`*The reply failed (${String(payload["reason"])}).*`]
  if (type === "session.exited") return ["*The character left.*"]
  return []
}

/** The latest messages of a session as Markdown. */
export const transcriptOf = async (api: Api, sessionId: string, signal: AbortSignal): Promise<ApiAnswer<string>> => {
  const session = await api<{ last_cursor: number; character_slug: string }>({
    method: "GET",
    path: apiPath`/v1/sessions/${sessionId}`,
    signal
  })
  if (!session.ok) return session
  const { last_cursor, character_slug } = session.data
  const parts = [`# Conversation with ${character_slug}`]
  let since = Math.max(0, last_cursor - MOST_EVENTS)
  if (since > 0) parts.push("*Earlier messages are left out.*")
  for (let read = 0; read < MOST_EVENTS; read += PAGE) {
    const page = await api<{ events: ReadonlyArray<LogEvent>; next_cursor: number; has_more: boolean }>({
      method: "GET",
      path: apiPath`/v1/sessions/${sessionId}/events`,
      query: { since, limit: PAGE },
      signal
    })
    if (!page.ok) return page
    parts.push(...page.data.events.flatMap(line))
    since = page.data.next_cursor
    if (!page.data.has_more) break
  }
  return { ok: true, data: parts.join("\n\n") }
}
