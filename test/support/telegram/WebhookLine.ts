import type { Update } from "@grammyjs/types"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { Clock } from "./Clock.ts"
import type { WebhookSettings } from "./Webhook.ts"

export interface WebhookAnswer {
  readonly status: number
  readonly reason: string
  readonly retryAfterSeconds: number
  readonly contentType: string
  readonly body: Buffer
  /** Why there was no answer. */
  readonly error?: string
}

const PATIENCE_MS = 60_000
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  ECONNRESET: "Connection reset by peer",
  EPIPE: "Broken pipe",
  ETIMEDOUT: "Connection timed out",
  ENOTFOUND: "Failed to resolve host: Name or service not known"
}

const noAnswer = (error: string): WebhookAnswer => ({
  status: 0,
  reason: "",
  retryAfterSeconds: 0,
  contentType: "",
  body: Buffer.alloc(0),
  error
})

const read = async (response: IncomingMessage): Promise<WebhookAnswer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  const retryAfter = Number.parseInt(response.headers["retry-after"] ?? "", 10)
  return {
    status: response.statusCode ?? 0,
    reason: response.statusMessage ?? "",
    retryAfterSeconds: Number.isNaN(retryAfter) ? 0 : Math.max(0, retryAfter),
    contentType: response.headers["content-type"] ?? "",
    body: Buffer.concat(chunks)
  }
}

const wording = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  return WORDS[code ?? ""] ?? message
}

/** The connections to one webhook. Redirects are ordinary answers. */
export class WebhookLine {
  readonly #settings: WebhookSettings
  readonly #clock: Clock
  readonly #agent: HttpAgent
  readonly #isSecure: boolean

  constructor(settings: WebhookSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
    this.#isSecure = settings.url.startsWith("https:")
    const options = { keepAlive: true, maxSockets: settings.maxConnections }
    this.#agent = this.#isSecure
      ? new HttpsAgent({ ...options, ...(settings.certificate !== undefined && { ca: settings.certificate }) })
      : new HttpAgent(options)
  }

  /** Never rejects. */
  post(update: Update): Promise<WebhookAnswer> {
    const body = Buffer.from(JSON.stringify(update))
    const { secret, url } = this.#settings
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "accept-encoding": "gzip, deflate",
      ...(secret !== "" && { "x-telegram-bot-api-secret-token": secret })
    }
    return new Promise((resolve) => {
      const sent = (this.#isSecure ? httpsRequest : httpRequest)(url, { method: "POST", agent: this.#agent, headers })
      const giveUp = this.#clock.after(PATIENCE_MS, () => {
        resolve(noAnswer("Read timeout expired"))
        sent.destroy()
      })
      sent.once("close", giveUp)
      sent.once("error", (cause) => resolve(noAnswer(wording(cause))))
      sent.once("response", (response) => {
        read(response).then(resolve, (cause: unknown) => resolve(noAnswer(wording(cause))))
      })
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
