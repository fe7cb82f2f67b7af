import * as z from "zod"
import { apiPath } from "../Api.ts"
import { awaitTurn } from "../awaitTurn.ts"
import { idempotencyKey, listing, mapData, name, READS, type Tool, tool } from "../tool.ts"

const Session = z.object({
  id: z.string(),
  character_slug: z.string(),
  external_user_ref: z.string(),
  status: z.string(),
  last_cursor: z.int(),
  turn_count: z.int(),
  created_at: z.string()
})
type Session = z.infer<typeof Session>

const sessionOf = ({
  id,
  character_slug,
  external_user_ref,
  status,
  last_cursor,
  turn_count,
  created_at
}: Session) => ({
  id,
  character_slug,
  external_user_ref,
  status,
  last_cursor,
  turn_count,
  created_at
})

const sessionId = name("Id of the session, ses_...")

const listSessions = tool({
  name: "list_sessions",
  title: "List sessions",
  description: "List the app's sessions, newest first. A session is the thread between one person and one character.",
  annotations: READS,
  input: z.object({
    character_slug: name("Only sessions with this character").optional(),
    external_user_ref: z.string().max(128).optional().describe("Only sessions of this person"),
    status: z.enum(["active", "exited", "archived"]).optional(),
    ...listing
  }),
  output: z.object({ sessions: z.array(Session), next_cursor: z.string().nullable() }),
  run: async (query, { api, signal }) =>
    mapData(
      await api<{ sessions: ReadonlyArray<Session>; next_cursor: string | null }>({
        method: "GET",
        path: "/v1/sessions",
        query,
        signal
      }),
      ({ sessions, next_cursor }) => ({ sessions: sessions.map(sessionOf), next_cursor })
    )
})

const openSession = tool({
  name: "open_session",
  title: "Open a session",
  description: "Open the session between a person and a character. If there is an active one, it is returned.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.object({
    character_slug: name("The character's slug"),
    external_user_ref: z.string().min(1).max(128).describe("The app's own id of the person"),
    new_thread: z.boolean().default(false).describe("Open another session even if there is an active one")
  }),
  output: Session,
  run: async (body, { api, signal }) =>
    mapData(await api<Session>({ method: "POST", path: "/v1/sessions", body, signal }), sessionOf)
})

const Event = z.object({
  id: z.string(),
  cursor: z.int(),
  type: z.string(),
  role: z.string(),
  trace_id: z.string(),
  created_at: z.string(),
  payload: z.record(z.string(), z.unknown())
})
type Event = z.infer<typeof Event>

const readEvents = tool({
  name: "read_events",
  title: "Read events",
  description:
    "Read the log of a session after a cursor: messages, failures and everything else that happened, in order. " +
    "To follow it, call again with next_cursor and wait.",
  annotations: READS,
  input: z.object({
    session_id: sessionId,
    since: z.int().min(0).default(0).describe("Cursor after which to read"),
    limit: z.int().min(1).max(200).default(50),
    wait: z.int().min(0).max(20).default(0).describe("Seconds to wait if there is no event yet")
  }),
  output: z.object({ events: z.array(Event), next_cursor: z.int(), has_more: z.boolean() }),
  run: async ({ session_id, ...query }, { api, signal }) =>
    mapData(
      await api<{ events: ReadonlyArray<Event>; next_cursor: number; has_more: boolean }>({
        method: "GET",
        path: apiPath`/v1/sessions/${session_id}/events`,
        query,
        signal
      }),
      ({ events, next_cursor, has_more }) => ({
        events: events.map(({ id, cursor, type, role, trace_id, created_at, payload }) => ({
          id,
          cursor,
          type,
          role,
          trace_id,
          created_at,
          payload
        })),
        next_cursor,
        has_more
      })
    )
})

const TEXTS = {
  withheld: "The character stays silent.",
  exited: "The character left. The session takes no further message.",
  failed: "The reply failed. The message is recorded, and can be sent again as a new one.",
  generating: "The reply is not ready yet. Read it with read_events after the cursor.",
  replied: ""
} as const

const sendMessage = tool({
  name: "send_message",
  title: "Send a message",
  description:
    "Send a message as the person of a session, and wait for the end of the turn: a reply, silence, a failure, or " +
    "the character's exit. It spends the app's budget.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.object({
    session_id: sessionId,
    text: z.string().min(1).max(32_000),
    reply_mode: z.enum(["fast", "deep"]).default("fast").describe("deep is polished by a critic, and slower"),
    wait: z.int().min(0).max(50).default(45).describe("Seconds to wait for the end of the turn"),
    idempotency_key: idempotencyKey
  }),
  output: z.object({
    outcome: z.enum(["replied", "withheld", "exited", "failed", "generating"]),
    bubbles: z.array(z.string()).describe("The reply, as the separate bubbles of a messenger"),
    reason: z.string().nullable(),
    run_ref: z.string(),
    cursor: z.int().describe("Read further events after this cursor")
  }),
  run: async ({ session_id, text, reply_mode, wait, idempotency_key }, { api, signal }) => {
    const sent = await api<{ cursor: number; run_ref: string }>({
      method: "POST",
      path: apiPath`/v1/sessions/${session_id}/messages`,
      body: { text, reply_mode },
      idempotencyKey: idempotency_key,
      signal
    })
    if (!sent.ok) return sent
    const { cursor, run_ref } = sent.data
    const turn = await awaitTurn(api, { sessionId: session_id, runRef: run_ref, cursor }, wait, signal)
    if (!turn.ok) return turn
    const { outcome, bubbles } = turn.data
    return {
      data: { ...turn.data, bubbles: [...bubbles], run_ref },
      text: outcome === "replied" ? bubbles.join("\n") : TEXTS[outcome]
    }
  }
})

export const conversationTools: ReadonlyArray<Tool> = [listSessions, openSession, readEvents, sendMessage]
