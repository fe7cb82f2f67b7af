import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A proxy that passes everything on, and that can cut every connection as a bad network does. */
export const startCutter = async (
  target: string
): Promise<{ readonly url: string; readonly cut: () => void; readonly close: () => Promise<void> }> => {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => {})
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: async () => {
      cut()
      server.close()
      await once(server, "close")
    }
  }
}
