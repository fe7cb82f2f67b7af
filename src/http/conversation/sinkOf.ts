import type { ServerResponse } from "node:http"
import type { Sink } from "#channels/event-log/Feeds.ts"
import type { Principal } from "#src/accounts/Authentication.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import { ownerOfApp } from "#src/http/server/limits/Owner.ts"

/** The connection of a stream. What it has not sent is counted for the app that reads it. */
export const sinkOf = (response: ServerResponse, reader: Pick<Principal, "appId" | "kind">) =>
  HeldBytes.useSync(({ roomOf, hasRoom, watch }): Sink => {
    const owner = ownerOfApp(reader)
    const update = watch(owner, response)
    return {
      write: (text) => {
        const isFree = response.write(text, update)
        update()
        return isFree
      },
      onDrain: (resume) => response.once("drain", resume),
      // Data that a reader does not read would stay in our memory forever.
      end: () => (response.writableNeedDrain ? response.destroy() : response.end()),
      room: roomOf(owner),
      hasRoom: (bytes) => hasRoom(owner, bytes)
    }
  })
