import type { Client } from "@modelcontextprotocol/client"
import * as z from "zod"
import { feedShows } from "#test/support/conversation/feedShows.ts"
import { type Answering, status } from "#test/support/Receiver.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"

const Any = z.looseObject({})

/** A request of the Events extension. */
export const callEvents = (
  client: Client,
  method: "list" | "poll" | "subscribe" | "unsubscribe",
  params: Record<string, unknown> = {}
): Promise<any> => client.request({ method: `events/${method}`, params }, Any)

/** The error with which such a request is refused. */
export const refusalOf = async (
  ...[client, method, params]: Parameters<typeof callEvents>
): Promise<{ readonly code: number; readonly message: string; readonly data: any }> => {
  const answer = await callEvents(client, method, params).catch((error: unknown) => error)
  if (!(answer instanceof Error)) throw new Error(`events/${method} was not refused: ${JSON.stringify(answer)}`)
  return answer as any
}

export interface Heard {
  readonly kind: "active" | "event" | "heartbeat" | "error" | "terminated"
  readonly params: any
}

const KINDS = ["active", "event", "heartbeat", "error", "terminated"] as const

/** Opens an event stream. A client has one at a time. */
export const openEvents = (client: Client, params: Record<string, unknown>) => {
  const heard: Array<Heard> = []
  const waiting = new Set<() => void>()
  for (const kind of KINDS)
    client.setNotificationHandler(`notifications/events/${kind}`, { params: Any }, (given) => {
      heard.push({ kind, params: given })
      for (const look of waiting) look()
    })
  const closing = new AbortController()
  const ended = client
    .request({ method: "events/stream", params }, Any, { signal: closing.signal, timeout: 280_000 })
    .then(
      () => "ended" as const,
      (error: unknown) => error as Error & { readonly code?: number; readonly data?: any }
    )
  return {
    heard,
    /** How the request ended. */
    ended,
    /** Resolves with the first notification that fits, whether it came already or not. */
    next: (fits: (each: Heard) => boolean) =>
      new Promise<Heard>((resolve) => {
        const look = () => {
          const found = heard.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    close: () => closing.abort()
  }
}

/** Says what is said in the event of a notification. */
export const saysIn = ({ kind, params }: Heard): string => (kind === "event" ? JSON.stringify(params.data.payload) : "")

/** Sends a message, and waits for the end of its turn and until the feed shows the session. */
export const converse = async (app: TestApp, session: string, text: string): Promise<LogEvent> => {
  const end = await app.converse(session, text)
  await feedShows(
    app,
    (await app.events(session)).map(({ id }) => id)
  )
  return end
}

/** Confirms a subscription, and accepts every event. */
export const confirm: Answering = (response, request) =>
  status(200, {}, JSON.stringify({ challenge: JSON.parse(request.body.toString()).challenge }))(response, request)
