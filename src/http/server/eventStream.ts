import type { FastifyReply } from "fastify"

/** Takes the answer over and begins a stream of server-sent events. `retryMs`: how long a reader waits to reconnect. */
export const openStream = (reply: FastifyReply, retryMs: number): void => {
  const headers = reply.getHeaders()
  reply.hijack()
  reply.raw.writeHead(200, {
    ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no"
  })
  reply.raw.write(`retry: ${retryMs}\n\n`)
}
