import { Readable } from "node:stream"
import type { HeldBytes } from "./limits/HeldBytes.ts"
import { ownerOf } from "./limits/Owner.ts"
import type { App } from "./Server.ts"

/** Counts what clients do not read of their answers, and leaves those that do not read, or read very slowly. */
export const leaveSlowReaders = (app: App, { watch }: HeldBytes["Service"]): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.raw.once("prefinish", () => {
      // Everything has been handed to the connection.
      if (reply.raw.writableLength > 0) watch(ownerOf(request), reply.raw)()
    })
    done()
  })
  // A body that is made while it is sent.
  app.addHook("onSend", (request, reply, payload, done) => {
    if (payload instanceof Readable) reply.raw.on("drain", watch(ownerOf(request), reply.raw))
    done()
  })
}
