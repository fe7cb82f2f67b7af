import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { WAIT_MS } from "./patience.ts"

export interface RawRequest {
  readonly method: string
  /** Sent unchanged, including percent signs. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * HTTP without `fetch`'s normalization. Connections are reused, so an answer that does not end blocks the next one. An
 * event stream is left after its headers.
 */
export const rawClient = (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = ({ method, path, headers = {}, body }: RawRequest) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const sent = request({
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }) }
      })
      const timer = setTimeout(() => {
        reject(new Error(`no answer within ${WAIT_MS} ms`))
        sent.destroy()
      }, WAIT_MS)
      sent.once("close", () => clearTimeout(timer))
      sent.once("error", reject)
      sent.once("response", (response) => {
        const answer = (text: string) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
        if (method !== "HEAD" && response.headers["content-type"]?.startsWith("text/event-stream") === true) {
          answer("")
          sent.destroy()
          return
        }
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (part: string) => {
          text += part
        })
        response.once("end", () => answer(text))
      })
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}
