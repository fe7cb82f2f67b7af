import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Front {
  readonly url: string
  readonly close: () => Promise<void>
}

/**
 * One address in front of servers that come and go. Each connection is forwarded to the port that `choose` returns, or
 * closed if there is none.
 */
export const startFront = async (choose: () => number | undefined): Promise<Front> => {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const port = choose()
    if (port === undefined) return client.resetAndDestroy()
    const upstream = connect(port, "127.0.0.1")
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}

/** A port that was just free. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
