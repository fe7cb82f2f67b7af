import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** The fields of a request that tests look at. */
export interface Asked {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly response_format?: { readonly type: string }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly temperature?: number
}

export interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is. */
  readonly body: unknown
}

const bodyOf = async (request: IncomingMessage): Promise<Asked> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

/** A model server on loopback that answers what a function says, or nothing for as long as a connection is open. */
export const startCannedServer = async (answer: (asked: Asked, index: number) => Canned | null) => {
  const requests: Array<Asked> = []
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = await bodyOf(request)
    const canned = answer(asked, requests.push(asked) - 1)
    if (canned === null) return
    response
      .writeHead(canned.status ?? 200, { "content-type": "application/json", ...canned.headers })
      .end(typeof canned.body === "string" ? canned.body : JSON.stringify(canned.body))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** A completion with this content. */
export const completionOf = (content: unknown, finish = "stop", message: Readonly<Record<string, unknown>> = {}) => ({
  choices: [{ index: 0, message: { role: "assistant", content, ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
})

/** The JSON of a reply with one bubble. */
export const replyOf = (text: string) =>
  JSON.stringify({ decision: "reply", exit_reason: null, bubbles: [text], cited_memory_ids: [] })
