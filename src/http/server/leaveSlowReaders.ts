import type { FastifyReply, FastifyRequest } from "fastify"
import { Readable } from "node:stream"
import type { HeldBytes } from "./limits/HeldBytes.ts"
import { ownerOf } from "./limits/Owner.ts"
import type { App } from "./Server.ts"

/** Counts what clients do not read of their answers, and leaves those that do not read, or read very slowly. */
export const leaveSlowReaders = (app: App, { watch }: HeldBytes["Service"]): void => {
  const count = (request: FastifyRequest, { raw: response }: FastifyReply) => {
    if (response.writableLength > 0) watch(ownerOf(request), response)()
  }
  // Everything has been handed to the connection.
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.once("prefinish", () => count(request, reply))
    done()
  })
  app.addHook("onSend", (request, reply, payload, done) => {
    // A body that is made while it is sent.
    if (payload instanceof Readable) reply.raw.on("drain", watch(ownerOf(request), reply.raw))
    // An answer behind others of its connection is handed over after them. It is written when all hooks have run.
    else if (reply.raw.socket === null) process.nextTick(count, request, reply)
    done()
  })
}
