import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A way to a database server that can be barred, or fall silent. */
export const openGate = async (databaseUrl: string) => {
  const server = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let silent = false
  let connections = 0
  const gate = createServer((socket) => {
    connections++
    const onward = connect(Number(server.port), server.hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on("error", () => {}).once("close", () => sockets.delete(end))
    }
    socket.pipe(onward).pipe(socket)
    if (silent) for (const end of [socket, onward]) end.unpipe()
  }).listen(0, "127.0.0.1")
  await once(gate, "listening")
  const url = new URL(databaseUrl)
  url.port = String((gate.address() as AddressInfo).port)
  return {
    url: url.href,
    /** How many have come so far. */
    connections: () => connections,
    /** What is connected stays so, and nothing new gets through. */
    bar: () => {
      gate.close()
    },
    /**
     * Connections are taken and stay open, and not a byte gets through, like with a host that is gone without a word.
     */
    fallSilent: () => {
      silent = true
      for (const socket of sockets) socket.unpipe()
    },
    /** New connections get through again; those from before are dropped, as they are by then. */
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
