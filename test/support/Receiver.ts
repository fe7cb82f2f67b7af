import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Resolves when the connection of this request is closed. */
  readonly closed: Promise<void>
}

/** How a receiver answers a request. */
export type Answering = (response: ServerResponse, request: Received) => void

export interface Receiver {
  readonly url: string
  readonly requests: ReadonlyArray<Received>
  /** Resolves with the request of this index (from 0), once it has arrived. */
  readonly received: (index: number) => Promise<Received>
  readonly close: () => Promise<void>
}

export const status =
  (code: number, headers: Record<string, string> = {}, body: string | Buffer = ""): Answering =>
  (response) => {
    response.writeHead(code, headers).end(body)
  }

export const hang: Answering = () => {}

/** Resets the connection without an answer. */
export const reset: Answering = (response) => {
  response.socket?.resetAndDestroy()
}

/** Sends raw bytes, and then nothing. */
export const raw =
  (bytes: string): Answering =>
  (response) => {
    response.socket?.write(bytes)
  }

/** Sends raw bytes, and then closes the connection. */
export const rawThenClose =
  (bytes: string): Answering =>
  (response) => {
    response.socket?.end(bytes)
  }

/** Sends this many bytes at once, then a byte from time to time, without end. */
export const drip =
  (bytes: string): Answering =>
  (response) => {
    response.socket?.write(bytes)
    const timer = setInterval(() => response.socket?.write("a"), 20)
    response.once("close", () => clearInterval(timer))
  }

const readBody = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** An app's server on loopback, which records its requests. */
export const startReceiver = async (answering: Answering): Promise<Receiver> => {
  const requests: Array<Received> = []
  const waiting = new Map<number, PromiseWithResolvers<Received>>()
  // A connection serves several requests.
  const ends = new WeakMap<Socket, Promise<void>>()
  const closed = (socket: Socket) => {
    const end = ends.get(socket) ?? new Promise<void>((resolve) => socket.once("close", () => resolve()))
    ends.set(socket, end)
    return end
  }
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request: Received = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: await readBody(incoming),
      closed: closed(incoming.socket)
    }
    const index = requests.push(request) - 1
    answering(response, request)
    waiting.get(index)?.resolve(request)
  }
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    received: (index) => {
      const request = requests[index]
      if (request !== undefined) return Promise.resolve(request)
      const wait = waiting.get(index) ?? Promise.withResolvers<Received>()
      waiting.set(index, wait)
      return wait.promise
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
