import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A proxy for a database server that can be blocked or silenced. */
export const openGate = async (databaseUrl: string) => {
  const server = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let silent = false
  let last: string | null = null
  let connections = 0
  const gate = createServer((socket) => {
    connections++
    const onward = connect(Number(server.port), server.hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on("error", () => {}).once("close", () => sockets.delete(end))
    }
    socket.on("data", (chunk: Buffer) => {
      if (last !== null && chunk.includes(last)) fallSilent()
    })
    socket.pipe(onward).pipe(socket)
    if (silent) for (const end of [socket, onward]) end.unpipe()
  }).listen(0, "127.0.0.1")
  await once(gate, "listening")
  const fallSilent = () => {
    silent = true
    for (const socket of sockets) socket.unpipe()
  }
  const url = new URL(databaseUrl)
  url.port = String((gate.address() as AddressInfo).port)
  return {
    url: url.href,
    /** The number of connections so far. */
    connections: () => connections,
    /** Keeps existing connections and refuses new ones. */
    bar: () => {
      gate.close()
    },
    /** Accepts connections and keeps them open without forwarding anything, like a host that has silently vanished. */
    fallSilent,
    /** Falls silent as soon as a client sends this: nobody gets an answer to it. */
    fallSilentAt: (text: string) => {
      last = text
    },
    /** Forwards new connections again. Older ones are dropped, as they would be by then. */
    speak: () => {
      silent = false
      for (const socket of sockets) socket.destroy()
    },
    close: () => {
      gate.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
