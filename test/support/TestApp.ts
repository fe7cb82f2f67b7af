import { randomUUID } from "node:crypto"
import { WAIT_MS } from "./patience.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

export interface LogEvent {
  readonly id: string
  readonly cursor: number
  readonly type: string
  readonly role: string
  readonly trace_id: string
  readonly payload: Record<string, any>
  readonly [field: string]: unknown
}

const TERMINAL = (event: LogEvent) =>
  event.type === "message.failed" ||
  event.type === "session.exited" ||
  (event.type === "message.created" && event.role === "character")

/** An app's backend, as a developer would write it: plain HTTP with a key. */
export class TestApp {
  readonly baseUrl: string
  readonly appId: string
  readonly key: string

  constructor(baseUrl: string, appId: string, key: string) {
    this.baseUrl = baseUrl
    this.appId = appId
    this.key = key
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text }
  }

  readonly get = (path: string, headers?: Record<string, string>) => this.request("GET", path, undefined, headers)
  readonly post = (path: string, body: unknown, headers?: Record<string, string>) =>
    this.request("POST", path, body, headers)
  readonly patch = (path: string, body: unknown, headers?: Record<string, string>) =>
    this.request("PATCH", path, body, headers)
  readonly delete = (path: string) => this.request("DELETE", path)

  /** A small character that works with the offline engine. */
  async createCharacter(fields: Record<string, unknown> = {}): Promise<string> {
    const slug = `mara-${randomUUID().slice(0, 8)}`
    const answer = await this.post("/v1/characters", {
      slug,
      display_name: "Mara",
      voice_samples: [{ text: "Sit down, the soup is hot." }, { text: "Rain again. It suits the house." }],
      example_dialogues: [{ user: "What is for dinner?", character: "Leek soup, and bread if you cut it." }],
      ...fields
    })
    if (answer.status !== 200) throw new Error(`character not created: ${JSON.stringify(answer.body)}`)
    return answer.body.data.slug
  }

  async createSession(fields: Record<string, unknown> = {}): Promise<string> {
    const character_slug = fields["character_slug"] ?? (await this.createCharacter())
    const answer = await this.post("/v1/sessions", {
      external_user_ref: randomUUID(),
      new_thread: true,
      ...fields,
      character_slug
    })
    if (answer.status !== 200) throw new Error(`session not created: ${JSON.stringify(answer.body)}`)
    return answer.body.data.id
  }

  readonly send = (sessionId: string, text: string, headers?: Record<string, string>) =>
    this.post(`/v1/sessions/${sessionId}/messages`, { text }, headers)

  async events(sessionId: string, since = 0): Promise<ReadonlyArray<LogEvent>> {
    const all: Array<LogEvent> = []
    for (let from = since; ;) {
      const { body } = await this.get(`/v1/sessions/${sessionId}/events?since=${from}`)
      all.push(...body.data.events)
      if (!body.data.has_more) return all
      from = body.data.next_cursor
    }
  }

  /** Reads until an event matches. Fails after `WAIT_MS`. */
  async waitFor(sessionId: string, fits: (event: LogEvent) => boolean, since = 0): Promise<LogEvent> {
    const deadline = Date.now() + WAIT_MS
    for (let from = since; Date.now() < deadline;) {
      const { body } = await this.get(`/v1/sessions/${sessionId}/events?since=${from}&wait=1`)
      const found = body.data.events.find(fits)
      if (found !== undefined) return found
      from = body.data.next_cursor
    }
    throw new Error(
      `nothing fitting on the log of ${sessionId} within ${WAIT_MS} ms: ` +
        `${JSON.stringify((await this.events(sessionId)).map((event) => event.type))}`
    )
  }

  /** Sends a message and waits for the end of its turn. */
  async converse(sessionId: string, text: string): Promise<LogEvent> {
    const { body } = await this.send(sessionId, text)
    return this.waitFor(sessionId, (event) => TERMINAL(event) && event.trace_id === body.data.run_ref, body.data.cursor)
  }
}
